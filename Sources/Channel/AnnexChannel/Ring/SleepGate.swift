internal import AnnexLinux
internal import CAnnexLinux
internal import Synchronization

/// The sleeper's half of the sleep protocol. A receiver that waits for a frame and a sender that waits for room use the
/// same protocol.
///
/// The sleeper writes only its own flag and sleeps on a word of the other side. For a receiver, the word is a header
/// that is still 0; for a sender, it is the reader's position. The sleeper stores its flag, executes a fence, then
/// reads the word again. The other side stores the word, executes a fence, then reads the flag. If the sleeper's fence
/// comes first, the other side sees the flag. Otherwise, the sleeper sees the new word. `SleepModelTests` covers every
/// order of events.
struct SleepGate: Sendable {
    /// This side's flag, in this side's memory region.
    let flag: WritableWord

    /// The most attempts of this process to wake one of its own sleeping threads. After the last attempt, the thread
    /// has to wake up by itself.
    static let mostWakeUps = 10_000

    /// Announces that this side is about to sleep. The caller must read the other side's word again before it sleeps.
    func announce(_ state: UInt32 = ReceiverState.asleep) {
        flag.storeRelaxed(state)
        // SYNC: the store above comes before every later read of the other side's words; pairs with the fence in
        // `WakeGate`.
        annex_fence()
    }

    func withdraw() {
        flag.storeRelaxed(ReceiverState.awake)
    }

    /// Sleeps while the other side's word still has the value `seen`. The caller must have called `announce`.
    func sleep(on word: SharedWord, while seen: UInt32, until deadline: UInt64?) -> FutexWait {
        guard word.loadAcquire() == seen else { return .changed }
        return word.wait(while: seen, until: deadline)
    }

    /// Sleeps while the other side's word still has the value `expected`. The sleep also ends if this process summons
    /// the thread. The caller must have called `announce`.
    func sleep(on word: SharedWord, while expected: UInt32, until summons: Summons, since seen: UInt32) -> FutexWait {
        guard word.loadAcquire() == expected else { return .changed }
        return summons.wait(since: seen, orOn: word, while: expected)
    }
}

/// The waking half of the sleep protocol. It wakes the other side's sleeper after this side has published a word.
struct WakeGate: Sendable {
    /// The other side's flag, in the other side's memory region. At worst, a false flag leaves the other side asleep or
    /// causes a futile wake-up.
    let flag: SharedWord
    /// The other side may sleep on this bell's word instead of the published word. Nil if the other side uses no bell.
    var bell: Bell?
    /// The most threads of the other side that one wake-up wakes. A host wakes one thread, because only one thread of
    /// an extension waits. An extension wakes all threads, because any number of its host's threads may wait for room.
    var most: Int32 = .max

    /// Reads the flag. The read comes after all earlier stores of this side.
    @inline(__always) func state() -> UInt32 {
        // SYNC: the store of the published word comes before this read; pairs with the fence in `SleepGate`.
        annex_fence()
        return flag.loadRelaxed()
    }

    /// Does the same as `wakeIfAsleep`. The caller must have executed an atomic read-modify-write after it published
    /// the word and directly before this call.
    @inline(__always) func wakeIfAsleepAfterAtomic(on word: WritableWord) -> Bool {
        // SYNC: the same holds as in `state`.
        annex_fence_after_atomic()
        return wakeIfAsleep(flag.loadRelaxed(), on: word)
    }

    /// Wakes the other side if it sleeps.
    /// - Parameter word: the word that was published; the sleeper sleeps on it unless it uses the bell.
    /// - Returns: whether this side made a system call.
    @inline(__always) func wakeIfAsleep(on word: WritableWord) -> Bool {
        wakeIfAsleep(state(), on: word)
    }

    @inline(__always) private func wakeIfAsleep(_ state: UInt32, on word: WritableWord) -> Bool {
        guard ReceiverState.isAsleep(state) else { return false }
        if let bell, state == ReceiverState.asleepOnBell { bell.ring() } else { word.wake(atMost: most) }
        return true
    }
}

/// Lets one thread end another thread's sleep permanently, even if the awaited word never changes.
final class StopGate: Sendable {
    private struct State {
        var isStopped = false
        /// The word on which the thread sleeps or is about to sleep.
        var bed: SharedWord?
    }

    private let state = Mutex(State())

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Sleeps as `gate` does, but returns at once if `stop` was called before.
    func sleep(_ gate: SleepGate, on word: SharedWord, while seen: UInt32, until deadline: UInt64?) -> FutexWait {
        let maySleep = state.withLock { state in
            if !state.isStopped { state.bed = word }
            return !state.isStopped
        }
        guard maySleep else { return .interrupted }
        // The stopping thread touches the word only under the lock and only while the word is stored in `bed`. During
        // that time, the word's memory is mapped.
        defer { state.withLock { $0.bed = nil } }
        return gate.sleep(on: word, while: seen, until: deadline)
    }

    /// Ends the thread's sleep and prevents further sleeps. Repeats the wake-up until the thread has left its sleep,
    /// because a wake-up has no effect if the thread has not begun to sleep yet.
    /// - Returns: false if the thread does not seem to run. The caller must then call this function again later.
    func stop() -> Bool {
        for _ in 0..<SleepGate.mostWakeUps {
            let sleeps = state.withLock { state in
                state.isStopped = true
                state.bed?.wakeSleepers()
                return state.bed != nil
            }
            guard sleeps else { return true }
            Processor.yield()
        }
        return false
    }
}
