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
