internal import AnnexLinux

/// The other half of the sleep protocol: after this side's position has moved, whoever sleeps on it is woken.
struct WakeGate: Sendable {
    /// This side's position, in this side's region.
    let position: WritableWord
    /// The other side's flag, in the other side's region. Its value is the other side's: at worst this side wakes
    /// nobody, or wakes in vain.
    let flag: SharedWord

    /// The flag, read after everything that this side has stored.
    func state() -> UInt32 {
        // SYNC: the position's store comes before this read; pairs with the fence in `SleepGate`.
        Processor.fence()
        return flag.loadRelaxed()
    }

    /// Wakes a sleeper where there is one.
    /// - Returns: whether the kernel was asked.
    func wakeIfAsleep() -> Bool {
        guard state() == ReceiverState.asleep else { return false }
        position.wake()
        return true
    }
}
