internal import AnnexLinux

/// The sleep protocol, the same for a receiver that waits for data and a sender that waits for room.
///
/// The sleeper writes only its own flag and sleeps on the other side's position word. The other side stores its
/// position, fences, then reads the flag. Whichever of the two fences comes first in the one order of fences, either
/// the sleeper sees the new position or the other side sees the flag. `SleepModelTests` walks through every order.
struct SleepGate: Sendable {
    /// This side's flag, in this side's region.
    let flag: WritableWord
    /// The other side's position, in the other side's region.
    let position: SharedWord

    /// Says that this side is about to sleep. What follows must look at the position again before it does.
    func announce(_ state: UInt32 = ReceiverState.asleep) {
        flag.storeRelaxed(state)
        // SYNC: the store above comes before every later read of the position; pairs with the fence in `WakeGate`.
        Processor.fence()
    }

    func withdraw() {
        flag.storeRelaxed(ReceiverState.awake)
    }

    /// Sleeps while the position is what this side has seen last. `announce` comes before.
    func sleep(while seen: UInt32, until deadline: UInt64?) -> FutexWait {
        guard position.loadAcquire() == seen else { return .changed }
        return position.wait(while: seen, until: deadline)
    }
}
