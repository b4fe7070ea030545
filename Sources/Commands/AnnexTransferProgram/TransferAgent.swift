internal import AnnexLinux
internal import AnnexTransferWire
internal import Glibc

/// The agent: it carries out the broker's orders until the broker's end of the connection closes. It has one thread.
final class TransferAgent<Engine: HTTPEngine> {
    private let socket: TransferAgentSocket
    private let engine: Engine
    private var queue = JobQueue()
    private var outbox = AgentOutbox()
    private var lastQuestion: UInt64 = 0
    private var isOver = false

    init(_ socket: consuming TransferAgentSocket, engine: Engine) {
        self.socket = socket
        self.engine = engine
    }

    /// Runs until the broker is gone.
    /// - Throws: if the broker breaks a rule of the connection, or the engine cannot go on.
    func run() throws(AgentFailure) {
        while !isOver {
            do throws(TransferSocketError) {
                try receive()
                finishExchanges()
                beginExchanges()
                try outbox.send(by: socket)
            } catch {
                if case .system(let cause) = error, [EPIPE, ECONNRESET].contains(cause.errno) { return }
                throw .connection(error)
            }
            guard !isOver else { return }
            do throws(EngineFailure) {
                try engine.work(watching: socket.socket.descriptor.number, for: readiness, atMost: patience)
            } catch {
                throw .engine(error)
            }
        }
    }

    private var readiness: ControlReadiness {
        if outbox.isFull { return .room }
        return outbox.isEmpty ? .messages : .messagesOrRoom
    }

    /// How long the agent may wait: until the broker has to have answered the earliest question.
    private var patience: Int32? {
        if queue.active.contains(where: { if case .finished = $0.stage { true } else { false } }) { return 0 }
        let deadlines = queue.active.compactMap { if case .asking(_, let until) = $0.stage { until } else { nil } }
        return deadlines.min().map { Int32(clamping: MonotonicClock.remaining(until: $0) / 1_000_000 + 1) }
    }

    // MARK: - Orders

    private func receive() throws(TransferSocketError) {
        while !outbox.isFull {
            switch try socket.receive() {
            case .nothing: return
            case .end: return isOver = true
            case .message(let order, let descriptors):
                switch order {
                case .start(let job): start(job, with: descriptors)
                case .stop(let key, let stop): self.stop(key, for: stop)
                case .found(let addresses): begin(addresses)
                }
            }
        }
    }

    private func start(_ job: TransferJob, with files: consuming DescriptorList) {
        guard queue.count < TransferLimits.jobs, queue[job.key.task] == nil else { return refuse(job, with: .busy) }
        let tools = AgentJob.Tools(
            resolve: { Engine.location(of: $0, from: $1) }, seconds: { Engine.seconds(ofDate: $0) },
            tell: { [unowned self] in outbox.add($0) })
        do throws(TransferError) {
            queue.add(try AgentJob(job, files: files, tools: tools))
        } catch {
            refuse(job, with: error)
        }
    }

    private func refuse(_ job: TransferJob, with error: TransferError) {
        outbox.add(
            .ended(
                TransferEnd(
                    key: job.key, sent: 0, received: 0, answer: nil, error: error, retry: TransferRetry(after: error),
                    validator: nil)))
    }

    private func stop(_ key: TransferKey, for stop: TransferStop) {
        guard let job = queue[key.task], job.job.key == key else { return }
        if case .exchanging(let exchange) = job.stage { engine.abandon(exchange) }
        end(job, with: job.end(with: stop == .cancel ? .cancelled : .suspended))
    }

    // MARK: - Exchanges

    private func beginExchanges() {
        let now = MonotonicClock.now()
        for job in queue.active {
            if case .asking(_, let until) = job.stage, until <= now { end(job, with: job.end(with: .nameNotResolved)) }
        }
        while let job = queue.next() {
            if job.isLate(at: now) { end(job, with: job.end(with: .timedOut)) } else { ask(for: job, at: now) }
        }
    }

    private func ask(for job: AgentJob, at now: UInt64) {
        guard TransferQuestion.isHost(job.location.host), job.location.port > 0,
            let redirects = UInt8(exactly: job.redirects)
        else {
            return end(job, with: job.end(with: job.redirects > 0 ? .redirectRefused : .badURL))
        }
        lastQuestion += 1
        let until = MonotonicClock.deadline(after: .seconds(job.job.patience.connecting), from: now)
        job.stage = .asking(question: lastQuestion, until: until)
        outbox.add(
            .lookUp(
                TransferQuestion(
                    question: lastQuestion, key: job.job.key, host: job.location.host, port: job.location.port,
                    redirects: redirects)))
    }

    private func begin(_ found: TransferAddresses) {
        let asking = queue.active.first {
            if case .asking(let question, _) = $0.stage { question == found.question } else { false }
        }
        guard let job = asking else { return }
        if let error = found.error { return end(job, with: job.end(with: error)) }
        job.stage = .exchanging(engine.begin(job.request(to: found.addresses), for: job))
    }

    private func finishExchanges() {
        for job in queue.active {
            guard case .finished(let failure) = job.stage else { continue }
            switch job.step(after: failure) {
            case .again: queue.putBack(job)
            case .end(let end): self.end(job, with: end)
            }
        }
    }

    /// The job's files are closed before the broker learns its end.
    private func end(_ job: AgentJob, with end: TransferEnd) {
        queue.remove(job)
        outbox.add(.ended(end))
    }
}

/// Why the agent gives up.
enum AgentFailure: Error, CustomStringConvertible {
    case connection(TransferSocketError)
    case engine(EngineFailure)

    var description: String {
        switch self {
        case .connection(let error): "the connection to the broker: \(error)"
        case .engine(let failure): failure.text
        }
    }
}
