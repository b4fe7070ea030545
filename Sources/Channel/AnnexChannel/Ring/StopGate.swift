internal import AnnexLinux
internal import Synchronization

/// Lets one thread end another thread's sleep for good, even if the awaited word never changes.
final class StopGate: Sendable {
    private struct State {
        var isStopped = false
        /// The word that the thread sleeps on or is about to.
        var bed: SharedWord?
    }

    private let state = Mutex(State())

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Sleeps as the gate does, but not if it is stopped.
    func sleep(_ gate: SleepGate, on word: SharedWord, while seen: UInt32, until deadline: UInt64?) -> FutexWait {
        let maySleep = state.withLock { state in
            if !state.isStopped { state.bed = word }
            return !state.isStopped
        }
        guard maySleep else { return .interrupted }
        // The stopping thread touches the word only under the lock, so the word is mapped as long as it is stored here.
        defer { state.withLock { $0.bed = nil } }
        return gate.sleep(on: word, while: seen, until: deadline)
    }

    /// Stops the gate, and wakes the thread until it has left its sleep, because it may not have begun it yet.
    /// - Returns: false if the thread does not seem to run; the caller must call this again later.
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
