internal import AnnexTransferWire

/// The agent's jobs: which of them has its turn. At most six have a server at once, and at most two the same server.
struct JobQueue {
    private var jobs: [UInt64: AgentJob] = [:]
    /// The tasks that wait, in their order.
    private var waiting: [UInt64] = []

    var count: Int { jobs.count }

    subscript(task: UInt64) -> AgentJob? { jobs[task] }

    /// The jobs that have a server.
    var active: [AgentJob] { jobs.values.filter { $0.stage != .waiting } }

    mutating func add(_ job: AgentJob) {
        jobs[job.job.key.task] = job
        waiting.append(job.job.key.task)
    }

    /// Lets a job wait again, before all others: it has had its turn, and a redirect led to another server.
    mutating func putBack(_ job: AgentJob) {
        job.stage = .waiting
        waiting.insert(job.job.key.task, at: 0)
    }

    mutating func remove(_ job: AgentJob) {
        jobs[job.job.key.task] = nil
        waiting.removeAll { $0 == job.job.key.task }
    }

    /// Takes the next job whose turn it is. A discretionary job has its turn if no other job waits.
    mutating func next() -> AgentJob? {
        let active = active
        guard active.count < TransferLimits.connections else { return nil }
        var servers: [HTTPLocation.Server: Int] = [:]
        for job in active { servers[job.location.server, default: 0] += 1 }
        let ready = waiting.compactMap { jobs[$0] }.filter {
            servers[$0.location.server, default: 0] < TransferLimits.connectionsToServer
        }
        let ordinary = ready.first { !$0.job.isDiscretionary }
        let hasOrdinary = waiting.contains { jobs[$0]?.job.isDiscretionary == false }
        guard let job = ordinary ?? (hasOrdinary ? nil : ready.first) else { return nil }
        waiting.removeAll { $0 == job.job.key.task }
        return job
    }
}
