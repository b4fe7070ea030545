internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel
internal import Dispatch
internal import Synchronization

/// The contents that a session's requests offer to its extension. Each offer has its own number.
///
/// The extension gets exactly these contents, and only until the request that offered them has its answer. If the
/// extension uses a number that was never offered, it breaks the protocol.
final class ItemOffers: Sendable {
    private struct State {
        var open: [UInt64: ItemContents] = [:]
        var jobs: [UInt64: LoadJob] = [:]
        var versions: [UInt64: StagedVersion] = [:]
        /// The contents that loaders have made. A loader that succeeded is not run again. If a loader failed or was
        /// cancelled, the next load runs it again.
        var made: [UInt64: OutgoingContents] = [:]
        /// The number of loads whose work is not over. A cancelled load counts too, until its work is over.
        var running = 0
        /// The jobs that wait for their turn, the oldest first. Each of them is in `jobs` too.
        var queue: [LoadJob] = []

        /// The next job that may begin; nil if none waits, or if too many are in progress.
        mutating func takeNext() -> LoadJob? {
            // The time of a job may pass before its turn comes.
            queue.removeAll(where: \.isOver)
            // A load that succeeded keeps its descriptor until the extension has fetched it.
            guard running < ItemOffer.mostLoads, jobs.count - queue.count < ItemOffers.mostKept, !queue.isEmpty else {
                return nil
            }
            running += 1
            return queue.removeFirst()
        }

        mutating func removeJob(_ number: UInt64) -> LoadJob? {
            guard let job = jobs.removeValue(forKey: number) else { return nil }
            queue.removeAll { $0 === job }
            return job
        }
    }

    private let state = Mutex(State())
    private let budget = CopyBudget()
    /// SYNC: relaxed: the last number. The numbers only have to differ from each other.
    private let last = Atomic<UInt64>(0)
    /// How many new versions, and how many contents that loaders made, may stay open. Each of them needs descriptors of
    /// this host.
    private static let mostKept = 64

    /// An empty list of contents, whose offers get their numbers from this object.
    func newList() -> ContentsList {
        ContentsList(offering: { [weak self] in self?.last.add(1, ordering: .relaxed).newValue ?? 0 })
    }

    /// Makes offers valid, so that the extension may load their contents.
    func add(_ offers: [ContentsList.Offer], on endpoint: HostEndpoint) {
        guard !offers.isEmpty else { return }
        state.withLock { state in
            for offer in offers { state.open[offer.number] = offer.contents }
            endpoint.expectCalls(offers.count)
        }
    }

    /// Withdraws offers, and ends the loads of these offers.
    func withdraw(_ offers: [ContentsList.Offer], on endpoint: HostEndpoint) {
        guard !offers.isEmpty else { return }
        let ended = state.withLock { state in
            var ended = Withdrawn()
            for offer in offers { ended.take(offer.number, from: &state) }
            state.queue.removeAll { state.open[$0.number] == nil }
            if state.open.isEmpty { endpoint.expectNoCalls() }
            return ended
        }
        for version in ended.versions { version.withdraw() }
        for job in ended.jobs { job.end(with: .withdrawn) }
        beginNext()
        // The last close of a large file takes time, which must not delay the event loop.
        DispatchQueue.global().async { withExtendedLifetime(ended) {} }
    }

    /// The objects that belong to withdrawn offers.
    private struct Withdrawn {
        var jobs: [LoadJob] = []
        var versions: [StagedVersion] = []
        var made: [OutgoingContents] = []

        mutating func take(_ number: UInt64, from state: inout State) {
            state.open[number] = nil
            if let job = state.jobs.removeValue(forKey: number) { jobs.append(job) }
            if let version = state.versions.removeValue(forKey: number) { versions.append(version) }
            if let contents = state.made.removeValue(forKey: number) { made.append(contents) }
        }
    }

    /// Answers a request of the extension. This function runs on the event loop's thread.
    /// - Parameter violated: called for each breach of the protocol.
    func serve(_ request: consuming HostedRequest, violated: (ProtocolViolation) -> Void) {
        guard let message = try? LoadMessage(decoding: request.payload) else {
            violated(ProtocolViolation("a load of an item that cannot be read"))
            return request.fail(code: HandlerFailure.unreadableCode, text: "the request cannot be read")
        }
        guard message.number > 0, message.number <= last.load(ordering: .relaxed) else {
            violated(ProtocolViolation("a load of item \(message.number), which was never offered"))
            return request.fail(code: HandlerFailure.unreadableCode, text: "this item was never offered")
        }
        switch request.method {
        case LoadMessage.loadMethod: load(message.number, for: request)
        case LoadMessage.cancelMethod:
            state.withLock { $0.removeJob(message.number) }?.end(with: ItemFailure.cancelled)
            try? request.reply()
            beginNext()
        case LoadMessage.writeMethod: begin(message.number, for: request)
        case LoadMessage.commitMethod: commit(message.number, for: request)
        default: request.fail(code: HandlerFailure.unknownMethodCode, text: "unknown method")
        }
    }

    private enum Step {
        case withdrawn
        case made(OutgoingContents)
        case wait(LoadJob)
        case begin(LoadJob)
    }

    private func load(_ number: UInt64, for request: consuming HostedRequest) {
        let step: Step = state.withLock { state in
            guard let contents = state.open[number] else { return .withdrawn }
            if let made = state.made[number] {
                _ = state.removeJob(number)
                return .made(made)
            }
            if let job = state.jobs[number] { return .wait(job) }
            let job = LoadJob(number, of: contents, within: budget, hooks: hooks(of: number))
            state.jobs[number] = job
            state.queue.append(job)
            return .begin(job)
        }
        switch step {
        case .withdrawn: request.answer(.refused(.withdrawn))
        case .made(let contents): deliver(contents, for: request)
        case .wait(let job): job.enlist(request)
        case .begin(let job):
            job.enlist(request)
            job.waitForTurn()
            beginNext()
        }
    }

    /// Begins the jobs whose turn has come.
    private func beginNext() {
        while let job = state.withLock({ $0.takeNext() }) { job.begin() }
    }

    private func hooks(of number: UInt64) -> LoadJob.Hooks {
        LoadJob.Hooks(
            made: { [weak self] made in
                self?.state.withLock { state in
                    if state.open[number] != nil, state.made.count < Self.mostKept { state.made[number] = made }
                }
            },
            delivered: { [weak self] in self?.forget(number, job: $0) },
            ended: { [weak self] in self?.workIsOver() })
    }

    private func deliver(_ contents: OutgoingContents, for request: consuming HostedRequest) {
        do {
            let descriptor = try contents.descriptor.duplicate()
            try? request.reply([], handingOver: descriptor)
        } catch {
            request.answer(.refused(LoadRefusal(error)))
        }
    }

    // An offer has only one new version of its file at a time. So an extension can fill the disk with at most one file
    // for each offer.
    private func begin(_ number: UInt64, for request: consuming HostedRequest) {
        let (contents, known) = state.withLock { ($0.open[number], $0.versions[number]) }
        guard let contents else { return request.answer(.refused(.withdrawn)) }
        guard case .file(let file) = contents.source, file.isEditable else {
            return request.answer(.refused(LoadRefusal(ItemFailure.notEditable)))
        }
        let held = HeldRequest(request)
        DispatchQueue.global().async { [self] in
            let outcome = Result {
                // If the original has changed, the extension begins again with the file that is there now.
                if let known, !known.isStale { return try known.begin() }
                return try keep(StagedVersion(of: file), as: number, insteadOf: known).begin()
            }
            guard let request = held.take() else { return }
            switch consume outcome {
            case .success(let descriptor): try? request.reply([], handingOver: descriptor)
            case .failure(let error): request.answer(.refused(LoadRefusal(error)))
            }
        }
    }

    /// Keeps a new version of an offered file.
    /// - Throws: `withdrawn` if the offer of the version was withdrawn meanwhile; `failed` if too many versions are
    ///   begun.
    private func keep(
        _ version: StagedVersion, as number: UInt64, insteadOf old: StagedVersion?
    ) throws(ItemFailure) -> StagedVersion {
        let kept: Result<StagedVersion, ItemFailure> = state.withLock { state in
            guard state.open[number] != nil else { return .failure(.withdrawn) }
            if state.versions[number] === old {
                guard old != nil || state.versions.count < Self.mostKept else {
                    return .failure(.failed("more than \(Self.mostKept) new versions are begun"))
                }
                state.versions[number] = version
            }
            return .success(state.versions[number] ?? version)
        }
        return try kept.get()
    }

    private func commit(_ number: UInt64, for request: consuming HostedRequest) {
        let (isOpen, version) = state.withLock { ($0.open[number] != nil, $0.versions[number]) }
        guard isOpen else { return request.answer(.refused(.withdrawn)) }
        guard let version else { return request.answer(.refused(.failed("no new version was begun"))) }
        let held = HeldRequest(request)
        DispatchQueue.global().async {
            let outcome = Result { try version.commit() }
            guard let request = held.take() else { return }
            switch outcome {
            case .success: request.answer(.done)
            case .failure(let error): request.answer(.refused(LoadRefusal(error)))
            }
        }
    }

    private func workIsOver() {
        state.withLock { $0.running -= 1 }
        beginNext()
    }

    /// Forgets a job that has delivered its outcome.
    private func forget(_ number: UInt64, job: LoadJob) {
        state.withLock { state in
            if state.jobs[number] === job { _ = state.removeJob(number) }
        }
        beginNext()
    }
}

extension HostedRequest {
    /// Answers a load without a descriptor.
    consuming func answer(_ reply: LoadReply) {
        guard let bytes = try? reply.encoded() else {
            return fail(code: HandlerFailure.tooLargeCode, text: "the answer is too large")
        }
        try? self.reply(bytes)
    }
}
