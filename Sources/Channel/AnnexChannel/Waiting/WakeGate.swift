internal import AnnexLinux
internal import CAnnexLinux

/// The other half of the sleep protocol: after this side has published, whoever sleeps on it is woken.
struct WakeGate: Sendable {
    /// The other side's flag, in the other side's region. Its value is the other side's: at worst this side wakes
    /// nobody, or wakes in vain.
    let flag: SharedWord
    /// What the other side may sleep on instead of what was published.
    var bell: Bell?
    /// How many threads of the other side are woken at most: 1 by a host, whose extension has one that waits; all of
    /// them by an extension, since any number of its host's threads may wait for room.
    var most: Int32 = .max

    /// The flag, read after everything that this side has stored.
    @inline(__always) func state() -> UInt32 {
        // SYNC: what was published comes before this read; pairs with the fence in `SleepGate`.
        annex_fence()
        return flag.loadRelaxed()
    }

    /// The same directly behind an atomic read-modify-write of this thread's, which came after what was published.
    @inline(__always) func wakeIfAsleepAfterAtomic(on word: WritableWord) -> Bool {
        // SYNC: as in `state`.
        annex_fence_after_atomic()
        return wakeIfAsleep(flag.loadRelaxed(), on: word)
    }

    /// Wakes a sleeper where there is one.
    /// - Parameter word: what was published, and what the sleeper sleeps on if it has no bell.
    /// - Returns: whether the kernel was asked.
    @inline(__always) func wakeIfAsleep(on word: WritableWord) -> Bool {
        wakeIfAsleep(state(), on: word)
    }

    @inline(__always) private func wakeIfAsleep(_ state: UInt32, on word: WritableWord) -> Bool {
        guard ReceiverState.isAsleep(state) else { return false }
        if let bell, state == ReceiverState.asleepOnBell { bell.ring() } else { word.wake(atMost: most) }
        return true
    }
}
