internal import AnnexPortalServer
internal import AnnexTransferWire

/// Chooses the tasks that the agent gets next. The apps take turns, so that an app with many tasks delays the others by
/// one task at most.
struct TransferTurns: Sendable {
    /// The most tasks of one app that the agent has at once. The agent has six connections, so a server that says nothing
    /// leaves two of them to other apps.
    static let mostOfApp = 4

    /// The app of each session.
    private let apps: [Int64: String]
    /// How many tasks of each app the agent has.
    private var counts: [String: Int] = [:]

    /// - Parameter held: the session of each task that the agent has.
    init(_ sessions: [BookedSession], held: [Int64]) {
        apps = Dictionary(sessions.map { ($0.number, $0.app) }) { $1 }
        for session in held { counts[apps[session] ?? "", default: 0] += 1 }
    }

    private func app(of task: WaitingTask) -> String { apps[task.session] ?? "" }

    /// The order in which tasks come to the agent. A discretionary task comes if no other task waits for its turn.
    /// - Parameter ready: the tasks that wait, in the order in which they began.
    func order(_ ready: [WaitingTask]) -> [WaitingTask] {
        var counts = counts
        return [false, true].flatMap { isDiscretionary in
            rounds(of: ready.filter { $0.isDiscretionary == isDiscretionary }, &counts)
        }
    }

    /// The tasks in rounds. An app with few tasks at the agent comes in an earlier round.
    private func rounds(of tasks: [WaitingTask], _ counts: inout [String: Int]) -> [WaitingTask] {
        var rounds: [(round: Int, task: WaitingTask)] = []
        for task in tasks {
            rounds.append((counts[app(of: task), default: 0], task))
            counts[app(of: task), default: 0] += 1
        }
        return rounds.sorted { ($0.round, $0.task.number) < ($1.round, $1.task.number) }.map(\.task)
    }

    /// Whether the agent can have a further task of the task's app.
    func hasRoom(for task: WaitingTask) -> Bool {
        counts.values.reduce(0, +) < TransferLimits.jobs && counts[app(of: task), default: 0] < Self.mostOfApp
    }

    /// Notes that the agent has a task.
    mutating func take(_ task: WaitingTask) { counts[app(of: task), default: 0] += 1 }
}
