internal import AnnexLinux
internal import CAnnexLinux

/// The other half of the sleep protocol: after this side has published, whoever sleeps on it is woken.
struct WakeGate: Sendable {
    /// The other side's flag, in the other side's region. Its value is the other side's: at worst this side wakes
    /// nobody, or wakes in vain.
    let flag: SharedWord

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
        guard flag.loadRelaxed() == ReceiverState.asleep else { return false }
        word.wake()
        return true
    }

    /// Wakes a sleeper where there is one.
    /// - Parameter word: what was published, and what the sleeper sleeps on.
    /// - Returns: whether the kernel was asked.
    @inline(__always) func wakeIfAsleep(on word: WritableWord) -> Bool {
        guard state() == ReceiverState.asleep else { return false }
        word.wake()
        return true
    }
}
