internal import AnnexLinux
internal import AnnexPortalServer
internal import AnnexTransferWire
internal import Synchronization

/// How the keeper handles the news of the agent. It trusts none of them.
extension TransferKeeper {
    /// Runs in the row.
    func handle(_ event: AgentLink.Event, of link: AgentLink) {
        guard state.withLock({ $0.agent === link }) else { return }
        switch event {
        case .news(let news): handle(news, of: link)
        case .ended(let why): agentEnded(why)
        }
    }

    private func handle(_ news: TransferNews, of link: AgentLink) {
        switch news {
        case .lookUp(let question): answer(question, to: link)
        case .progress(let progress):
            guard let task = held(progress.key) else { return }
            desk.note(
                TaskProgress(sent: progress.sent, received: progress.received, expected: progress.expected), of: task)
        case .response(let response):
            // One answer of an attempt counts, so that an agent does not write into the book without end.
            guard held(response.key) != nil, state.withLock({ $0.answered.insert(response.key).inserted }) else {
                return
            }
            write(news, of: response.key)
        case .ended(let end):
            guard held(end.key) != nil, !hasEnd(end.key) else { return }
            state.withLock { $0.failures = 0 }
            lookups.forget(end.key)
            names.named.forget(end.key)
            write(news, of: end.key)
            look()
        }
    }

    // MARK: The book

    /// Whether the end of an attempt is known, and has still to be written.
    private func hasEnd(_ key: TransferKey) -> Bool {
        state.withLock { $0.hasEnd(key) }
    }

    /// Writes news into the book. If the book cannot be written, the news stay, and the task stays held until then.
    private func write(_ news: TransferNews, of key: TransferKey) {
        state.withLock { $0.unwritten[key.task, default: []].append(news) }
        writeAgain(of: key)
    }

    /// Writes the news that could not be written.
    func writeAgain() {
        let keys = state.withLock { state in state.unwritten.keys.compactMap { state.held[$0]?.key } }
        for key in keys { writeAgain(of: key) }
    }

    private func writeAgain(of key: TransferKey) {
        do throws(StoreError) {
            while let news = state.withLock({ $0.unwritten[key.task]?.first }) {
                try writeOnce(news)
                state.withLock { state in
                    _ = state.unwritten[key.task]?.removeFirst()
                    if state.unwritten[key.task]?.isEmpty == true { state.unwritten[key.task] = nil }
                    if case .ended = news { state.forget(key) }
                }
            }
        } catch {
            report(error)
        }
    }

    private func writeOnce(_ news: TransferNews) throws(StoreError) {
        switch news {
        case .response(let response):
            try desk.answered(response)
        case .ended(let end): try desk.ended(end)
        case .lookUp, .progress: break
        }
    }

    // MARK: The agent's news

    private func held(_ key: TransferKey) -> BookedTask? {
        state.withLock { state in state.held[key.task].flatMap { $0.key == key ? $0 : nil } }
    }

    private func answer(_ question: TransferQuestion, to link: AgentLink) {
        guard let task = held(question.key) else { return }
        noteReached(question, by: task)
        let isTaken = lookups.add(for: question.key) { [names, weak self] in
            let found = names.found(question, for: task.member)
            // The attempt may have ended during the lookup.
            if self?.held(question.key) == nil { names.named.forget(question.key) }
            _ = link.send(.found(found))
        }
        if !isTaken { link.end("it has asked more questions at once than its jobs allow") }
    }

    /// The most machines of one attempt: that of the URL, and those of its redirects.
    private static let mostPlaces = TransferLimits.redirects + 1

    private func noteReached(_ question: TransferQuestion, by task: BookedTask) {
        guard names.isNamed(question, for: task.member),
            let place = TransferPlace(host: question.host, port: question.port)
        else { return }
        state.withLock { state in
            guard state.reached[task.key.task, default: []].count < Self.mostPlaces else { return }
            state.reached[task.key.task, default: []].insert(place)
        }
    }

    /// The machines that the agent got for the present attempt of a task.
    func places(of task: BookedTask) -> Set<TransferPlace> { state.withLock { $0.reached[task.key.task] ?? [] } }

    /// The tasks of the agent go to the next one, but for those whose end is known.
    private func agentEnded(_ why: String) {
        let keys = state.withLock { state in
            state.agent = nil
            let keys = state.held.values.map(\.key).filter { !state.hasEnd($0) }
            for key in keys { state.forget(key) }
            return keys
        }
        lookups.forgetAll()
        names.named.forgetAll()
        failed("the agent of transfers has ended: \(why)", remedy: nil)
        for key in keys {
            // If the book cannot be written, the next look settles the task.
            do throws(StoreError) { try desk.giveBack(key, after: .zero) } catch { report(error) }
        }
        look()
    }
}

extension TransferKeeper.State {
    func hasEnd(_ key: TransferKey) -> Bool {
        unwritten[key.task]?.contains { if case .ended = $0 { true } else { false } } ?? false
    }

    /// Forgets an attempt that the agent does not have any more.
    mutating func forget(_ key: TransferKey) {
        held[key.task] = nil
        reached[key.task] = nil
        unwritten[key.task] = nil
        stops[key.task] = nil
        answered.remove(key)
    }
}
