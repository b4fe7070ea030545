internal import AnnexBrokerAPI
internal import AnnexLinux
internal import Synchronization

extension DaemonLink {
    /// Sends a request and blocks this thread until the answer arrives.
    /// - Parameter least: the shortest time limit of this wait. If `patience` is longer, `patience` is the limit.
    func ask(
        _ request: ServiceRequest, descriptors: consuming DescriptorList = DescriptorList(),
        for least: Duration = .zero
    ) throws(BrokerError) -> ServiceAnswer {
        try exchange(request, descriptors: descriptors, remote: nil, within: max(least, patience)).answer
    }

    /// Sends a request and suspends until the answer arrives.
    nonisolated(nonsending) func asked(_ request: ServiceRequest) async throws(BrokerError) -> ServiceAnswer {
        try await exchanged(request, descriptors: DescriptorList(), remote: nil).answer
    }

    /// Sends a request for a launch and blocks this thread until the launch is in progress.
    /// - Returns: the number of the request, which identifies the extension.
    func launch(
        _ request: ServiceRequest, descriptors: consuming DescriptorList, remote launched: RemoteExtension
    ) throws(BrokerError) -> UInt64 {
        try exchange(request, descriptors: descriptors, remote: launched, within: patience).number
    }

    /// Sends a request for a launch and suspends until the launch is in progress.
    /// - Returns: the number of the request, which identifies the extension.
    nonisolated(nonsending) func launched(
        _ request: ServiceRequest, descriptors: consuming DescriptorList, remote launched: RemoteExtension
    ) async throws(BrokerError) -> UInt64 {
        try await exchanged(request, descriptors: descriptors, remote: launched).number
    }

    // MARK: Request and answer

    private func exchange(
        _ request: ServiceRequest, descriptors: consuming DescriptorList, remote launched: RemoteExtension?,
        within limit: Duration
    ) throws(BrokerError) -> (number: UInt64, answer: ServiceAnswer) {
        guard !loop.isCurrent else {
            throw BrokerError(
                .system,
                what: "the event loop's thread cannot wait for a daemon, because it receives the daemon's answers",
                place: path, remedy: "call from another thread, or call the method without `AndWait` from a task")
        }
        let deadline = MonotonicClock.deadline(after: limit)
        let pending = PendingAnswer()
        let turn = enter()
        var isSent = false
        defer { if !isSent { leave(turn) } }
        guard turn.wait(until: deadline) ?? false else { throw unanswered(after: limit) }
        while true {
            if let number = try send(request, descriptors: descriptors, pending: pending, remote: launched) {
                isSent = true
                return (number, try outcome(pending.wait(until: deadline) ?? nil, of: number, after: limit))
            }
            guard MonotonicClock.now() < deadline else { throw unanswered(after: limit) }
            MonotonicClock.pause()
        }
    }

    private nonisolated(nonsending) func exchanged(
        _ request: ServiceRequest, descriptors: consuming DescriptorList, remote launched: RemoteExtension?
    ) async throws(BrokerError) -> (number: UInt64, answer: ServiceAnswer) {
        let deadline = MonotonicClock.deadline(after: patience)
        let pending = PendingAnswer()
        let turn = enter()
        var isSent = false
        defer { if !isSent { leave(turn) } }
        guard await comes(turn, until: deadline) else { throw unanswered(after: patience) }
        while true {
            if let number = try send(request, descriptors: descriptors, pending: pending, remote: launched) {
                isSent = true
                return (number, try outcome(await answer(pending, until: deadline), of: number, after: patience))
            }
            guard MonotonicClock.now() < deadline, !Task.isCancelled else { throw unanswered(after: patience) }
            await withCheckedContinuation { task in
                loop.schedule(after: .milliseconds(2)) { task.resume() }
            }
        }
    }

    // MARK: Turns

    /// Throws if a call of a task has waited for its turn as long as it may wait for the daemon.
    func checkTurn(since moment: UInt64, for least: Duration) throws(BrokerError) {
        let limit = max(least, patience)
        guard MonotonicClock.deadline(after: limit, from: moment) > MonotonicClock.now() else {
            throw unanswered(after: limit)
        }
    }

    /// Puts a request in line. If there is room in the window, its turn comes at once.
    private func enter() -> RequestTurn {
        let turn = RequestTurn()
        let turns = state.withLock { state in
            state.window.enter(turn)
            return state.window.popTurns()
        }
        for turn in turns { turn.reach(true) }
        return turn
    }

    /// Gives up a request that was not sent.
    private func leave(_ turn: RequestTurn) {
        let turns = state.withLock { state in
            state.window.leave(turn)
            return state.window.popTurns()
        }
        for turn in turns { turn.reach(true) }
    }

    /// Whether the turn comes before the deadline, and before the task is cancelled.
    private nonisolated(nonsending) func comes(_ turn: RequestTurn, until deadline: UInt64) async -> Bool {
        if let hasCome = turn.current { return hasCome }
        let timer = loop.schedule(at: deadline) { turn.reach(false) }
        defer { timer.cancel() }
        return await turn.valueUnlessCancelled() ?? false
    }

    // MARK: Answers

    private nonisolated(nonsending) func answer(
        _ pending: PendingAnswer, until deadline: UInt64
    ) async -> Result<ServiceAnswer, BrokerError>? {
        let timer = loop.schedule(at: deadline) { pending.reach(nil) }
        defer { timer.cancel() }
        return await pending.valueUnlessCancelled() ?? nil
    }

    private func outcome(
        _ result: Result<ServiceAnswer, BrokerError>?, of number: UInt64, after limit: Duration
    ) throws(BrokerError) -> ServiceAnswer {
        switch result {
        case .success(.failed(let error)), .failure(let error):
            forget(number)
            throw error
        case .success(let answer): return answer
        case nil:
            // The daemon may have launched the extension meanwhile. This host no longer wants the extension.
            report(number, notice: .dismissed(.cancelled))
            forget(number)
            throw unanswered(after: limit)
        }
    }

    /// Sends a request. Numbers must rise in the order of sending. So a request gets its number only when the socket
    /// has room.
    /// - Returns: the request's number; nil if the socket has no room.
    private func send(
        _ request: ServiceRequest, descriptors: borrowing DescriptorList, pending: PendingAnswer,
        remote launched: RemoteExtension?
    ) throws(BrokerError) -> UInt64? {
        try state.withLock { (state) throws(BrokerError) in
            if let end = state.end { throw end }
            let number = state.last + 1
            guard state.waiting.isEmpty, try pass(.request(number, request), descriptors: descriptors) else {
                return nil
            }
            state.last = number
            state.window.recordSent(number)
            state.answers[number] = pending
            if let launched { state.extensions[number] = launched }
            return number
        }
    }

    private func forget(_ number: UInt64) {
        let forgotten = state.withLock { state in
            (state.answers.removeValue(forKey: number), state.extensions.removeValue(forKey: number))
        }
        withExtendedLifetime(forgotten) {}
    }
}
