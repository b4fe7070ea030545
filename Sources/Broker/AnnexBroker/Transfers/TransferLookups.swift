internal import AnnexLinux
internal import AnnexTransferWire
internal import Synchronization

/// The open questions of agents. A lookup may take long, so a few threads share them all. An agent that was taken over
/// can ask without end, but it gets neither more threads nor a longer list by that.
final class TransferLookups: Sendable {
    private struct Question: Sendable {
        let key: TransferKey
        let find: @Sendable () -> Void
    }

    private struct State {
        /// The questions whose lookup has not begun.
        var waiting: [Question] = []
        var running: [TransferKey] = []
        /// The rows that look nothing up now.
        var idle = (0..<TransferLookups.atOnce).map { _ in Lane.Row(of: .slow) }
    }

    /// How many lookups run at once, and how many questions are open: in all, and of one job. An agent asks a job's next
    /// question when it has the answer to the one before.
    static let (atOnce, most, mostOfJob) = (4, 64, 2)

    private let state = Mutex(State())

    /// Adds a question.
    /// - Parameter find: looks up and answers, on any thread.
    /// - Returns: false if the agent has more open questions than the rules allow.
    func add(for key: TransferKey, _ find: @escaping @Sendable () -> Void) -> Bool {
        let (isTaken, row) = state.withLock { state -> (Bool, Lane.Row?) in
            let ofJob = state.waiting.count { $0.key == key } + state.running.count { $0 == key }
            guard ofJob < Self.mostOfJob, state.waiting.count + state.running.count < Self.most else {
                return (false, nil)
            }
            state.waiting.append(Question(key: key, find: find))
            return (true, state.idle.popLast())
        }
        if let row { row.run { [self] in work(in: row) } }
        return isTaken
    }

    /// Forgets the questions of an attempt that is over.
    func forget(_ key: TransferKey) { state.withLock { $0.waiting.removeAll { $0.key == key } } }

    /// Forgets all questions, because their agent has ended.
    func forgetAll() { state.withLock { $0.waiting = [] } }

    private func work(in row: Lane.Row) {
        let next = state.withLock { state -> Question? in
            guard !state.waiting.isEmpty else {
                state.idle.append(row)
                return nil
            }
            let next = state.waiting.removeFirst()
            state.running.append(next.key)
            return next
        }
        guard let next else { return }
        next.find()
        state.withLock { state in
            if let index = state.running.firstIndex(of: next.key) { state.running.remove(at: index) }
        }
        row.run { [self] in work(in: row) }
    }
}
