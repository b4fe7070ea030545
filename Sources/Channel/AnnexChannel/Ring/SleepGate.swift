internal import AnnexLinux
internal import CAnnexLinux

/// The sleep protocol, the same for a receiver that waits for a frame and a sender that waits for room.
///
/// The sleeper writes only its own flag and sleeps on a word of the other side's: the header that is still 0, or the
/// position that gives room. The other side stores that word, fences, then reads the flag. Whichever of the two fences
/// comes first in the one order of fences, either the sleeper sees the new word or the other side sees the flag.
/// `SleepModelTests` walks through every order.
struct SleepGate: Sendable {
    /// This side's flag, in this side's region.
    let flag: WritableWord

    /// How often a sleeper of this process is woken that does not seem to wake; then it is left to look around by itself.
    static let mostWakeUps = 10_000

    /// Says that this side is about to sleep. What follows must look at the other side's word again before it does.
    func announce(_ state: UInt32 = ReceiverState.asleep) {
        flag.storeRelaxed(state)
        // SYNC: the store above comes before every later read of the other side's; pairs with the fence in `WakeGate`.
        annex_fence()
    }

    func withdraw() {
        flag.storeRelaxed(ReceiverState.awake)
    }

    /// Sleeps while the other side's word is what this side has seen last. `announce` comes before.
    func sleep(on word: SharedWord, while seen: UInt32, until deadline: UInt64?) -> FutexWait {
        guard word.loadAcquire() == seen else { return .changed }
        return word.wait(while: seen, until: deadline)
    }
}

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
