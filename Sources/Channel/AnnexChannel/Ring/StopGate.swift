internal import AnnexLinux
internal import Synchronization

/// Ends one thread's waiting from another, though nothing that it waits for ever comes.
final class StopGate: Sendable {
    private struct State {
        var isStopped = false
        /// What the thread sleeps on or is about to.
        var bed: SharedWord?
    }

    private let state = Mutex(State())

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Sleeps as the gate does; not at all once it is stopped.
    func sleep(_ gate: SleepGate, on word: SharedWord, while seen: UInt32, until deadline: UInt64?) -> FutexWait {
        let maySleep = state.withLock { state in
            if !state.isStopped { state.bed = word }
            return !state.isStopped
        }
        guard maySleep else { return .interrupted }
        // Whoever stops touches the word under the lock only, so it stays mapped for as long as it stands here.
        defer { state.withLock { $0.bed = nil } }
        return gate.sleep(on: word, while: seen, until: deadline)
    }

    /// Stops, and wakes the thread until it has left its sleep: it may not have begun it yet.
    /// - Returns: false where it seems not to run at all: then somebody has to stop it once more, later.
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
