internal import AnnexLinux
internal import AnnexMessages
internal import Synchronization

// Calls that wait for their answers. If possible, `RingLeader.call` sends the call directly. Otherwise the call first
// enters the table of open calls (`CallTable`).

extension HostEndpoint {
    /// Calls the extension and waits for its answer on this thread, which must not be the event loop's thread. While no
    /// other thread calls through the same channel, the method allocates nothing. Before this method returns, the
    /// handlers of everything that the extension sent before its answer have run.
    /// - Parameters:
    ///   - method: the kind of request, in the numbering of the host and its extensions.
    ///   - payload: the request's bytes, at most `largestPayload`. They are copied.
    ///   - reply: receives the answer. Its bytes come from untrusted code; only their number is checked.
    ///   - timeout: the longest wait; nil: the wait lasts at most as long as the channel.
    /// - Returns: the answer's length.
    /// - Throws: the call's failure; `.payloadTooLarge` also if the answer has more bytes than `reply`; `.onEventLoop`
    ///   on the event loop's thread, unless the answer arrives at once.
    public func callAndWait(
        _ method: UInt16, payload: RawSpan, into reply: inout MutableRawSpan, timeout: Duration? = nil
    ) throws(CallFailure) -> Int {
        try callRaw(method, payload: payload, into: &reply, timeout: timeout, patience: nil)
    }

    /// - Parameters:
    ///   - patience: the longest wait, which is not sent to the extension; nil: `timeout` alone limits the wait.
    ///   - workspace: stores an answer that is longer than `reply`.
    func callRaw(
        _ method: UInt16, payload: RawSpan, into reply: inout MutableRawSpan, timeout: Duration?,
        patience: CallPatience?, mostReply: Int = MessageLimits.standard.bytes, workspace: CallWorkspace? = nil
    ) throws(CallFailure) -> Int {
        try state.check(bytes: payload.byteCount, descriptors: 0)
        let limit = timeout.map { MonotonicClock.nanoseconds($0) }
        return try unsafe payload.withUnsafeBytes { (question) throws(CallFailure) in
            try unsafe reply.withUnsafeMutableBytes { (target) throws(CallFailure) in
                let call = unsafe RawCall(
                    method: method, payload: question, reply: target, limit: limit, patience: patience?.nanoseconds,
                    mostReply: mostReply, workspace: workspace)
                var deadline: UInt64?
                do throws(CallFailure) {
                    let count = try callRaw(call, until: &deadline)
                    state.waitForHandlers(until: deadline ?? call.deadline())
                    return count
                } catch {
                    state.waitForHandlers(before: error, until: deadline ?? call.deadline())
                    throw error
                }
            }
        }
    }

    /// - Parameter deadline: set to the time at which the call fails; nil if the answer came before the clock was read.
    @inline(__always) private func callRaw(
        _ call: RawCall, until deadline: inout UInt64?
    ) throws(CallFailure) -> Int {
        if state.tap == nil, unsafe !state.isLarge(call.payload.count) {
            switch try leader.call(call, for: .thread, until: &deadline) {
            case .answered(let count): return count
            case .pending(let pending): return try leader.outcome(of: pending, for: call)
            case .notSent: break
            }
        }
        deadline = call.deadline()
        return try leader.callInTable(call, until: deadline)
    }

    /// Calls the extension and waits for its answer on this thread. Before this method returns, the handlers of
    /// everything that the extension sent before its answer have run. So the caller must hold no lock that a handler
    /// needs.
    /// - Parameters:
    ///   - request: the request, with the files and memory that it hands over.
    ///   - timeout: the longest wait, including the wait for room in the ring; nil: the wait lasts at most as long as
    ///     the channel.
    /// - Throws: the call's failure; `CallFailure.onEventLoop` on the event loop's thread.
    public func callAndWait(_ request: consuming Request, timeout: Duration? = nil) throws(CallFailure) -> Reply {
        guard !state.loop.isCurrent else { throw .onEventLoop }
        if request.isBare, let reply = try callAsBytes(request, timeout: timeout) { return reply }
        return try wait(for: enterAndSend(request, kind: .request, timeout: timeout))
    }

    /// - Returns: nil if the call must go through the table.
    private func callAsBytes(_ request: borrowing Request, timeout: Duration?) throws(CallFailure) -> Reply? {
        let (payload, most) = (request.payload, state.configuration.mostOpenCalls)
        guard state.tap == nil, !state.isLarge(payload.count) else { return nil }
        // The call gets no entry in the table, but the table's limit (`mostOpenCalls`) applies to this call too.
        guard state.calls.withLock({ $0.count < most }) else { throw .tooManyCalls(most: most) }
        let workspace = acquireWorkspace()
        defer { giveBack(workspace) }
        var deadline: UInt64?
        do throws(CallFailure) {
            let led = try unsafe payload.span.bytes.withUnsafeBytes { (bytes) throws(CallFailure) in
                let call = unsafe RawCall(
                    method: request.method, payload: bytes, reply: workspace.room,
                    limit: timeout.map { MonotonicClock.nanoseconds($0) }, patience: nil,
                    mostReply: request.mostReply ?? 0, workspace: workspace)
                return try leader.call(call, for: .thread, until: &deadline)
            }
            switch led {
            case .answered(let count):
                state.waitForHandlers(until: deadline ?? timeout.map { MonotonicClock.deadline(after: $0) })
                return Reply(payload: unsafe Array(workspace.reply(count)), sealed: [])
            case .pending(let call): return try wait(for: call)
            case .notSent: return nil
            }
        } catch {
            state.waitForHandlers(before: error, until: deadline ?? timeout.map { MonotonicClock.deadline(after: $0) })
            throw error
        }
    }

    private func wait(for call: ChannelCall) throws(CallFailure) -> Reply {
        leader.follow(call)
        return try call.replyAfterHandlers()
    }

    /// Calls the extension and suspends until its answer arrives. Cancelling the task cancels the call.
    public nonisolated(nonsending) func call(
        _ request: consuming Request, timeout: Duration? = nil
    ) async throws(CallFailure) -> Reply {
        if request.isBare {
            let polled: PolledCall<Reply>
            do throws(CallFailure) {
                polled = try callAndPoll(request, timeout: timeout)
            } catch {
                await state.waitForHandlers(before: error)
                throw error
            }
            // The value is consumed, because copying it would change reference counts.
            switch consume polled {
            case .answered(let reply):
                // The condition is checked here first, because a call of `waitForHandlers` allocates even if it returns
                // at once.
                if state.hasPendingHandlers { await state.waitForHandlers() }
                return reply
            case .pending(let call?):
                call.setTimer()
                return try await call.value()
            case .pending(nil): break
            }
        }
        return try await start(request, timeout: timeout).value()
    }

    /// Sends a request from a task, and checks for the answer while checking is cheaper than suspending. If the
    /// extension answers with a failure, the returned call reports this failure, and this method does not throw it.
    public nonisolated(nonsending) func start(
        _ request: consuming Request, timeout: Duration? = nil
    ) async throws(CallFailure) -> ChannelCall {
        let call = try enter(request, kind: .request, timeout: timeout)
        do throws(CallFailure) {
            try await sender.sendLater(frame(of: request, kind: .request, for: call, timeout), until: call.deadline)
        } catch {
            call.giveUp(with: error, tell: false)
            throw error
        }
        leader.poll(for: call)
        call.setTimer()
        return call
    }

    /// Sends a request from a task, and checks for its answer while checking is cheaper than suspending.
    private func callAndPoll(_ request: borrowing Request, timeout: Duration?) throws(CallFailure) -> PolledCall<Reply>
    {
        let workspace = acquireWorkspace()
        defer { giveBack(workspace) }
        let payload = request.payload
        switch try unsafe callAndPoll(
            request.method, payload: payload.span.bytes, in: workspace, timeout: timeout, patience: nil,
            mostReply: request.mostReply ?? 0)
        {
        case .answered(let count):
            return .answered(Reply(payload: unsafe Array(workspace.reply(count)), sealed: []))
        case .pending(let call): return .pending(call)
        case .notSent: return .pending(nil)
        }
    }

    /// Like the other `callAndPoll`, with bytes in any memory. This method copies the answer into the workspace.
    func callAndPoll(
        _ method: UInt16, payload: RawSpan, in workspace: CallWorkspace, timeout: Duration?,
        patience: CallPatience?, mostReply: Int
    ) throws(CallFailure) -> LedCall {
        try state.check(bytes: payload.byteCount, descriptors: 0)
        guard state.tap == nil, !state.isLarge(payload.byteCount) else { return .notSent }
        let limit = timeout.map { MonotonicClock.nanoseconds($0) }
        return try unsafe payload.withUnsafeBytes { (question) throws(CallFailure) in
            let call = unsafe RawCall(
                method: method, payload: question, reply: workspace.room, limit: limit,
                patience: patience?.nanoseconds, mostReply: mostReply)
            // A patience is not sent to the extension. So without a timeout, the clock is read only if the call
            // suspends.
            var deadline = limit == nil ? nil : call.deadline()
            return try leader.call(call, for: .task, until: &deadline)
        }
    }

    /// Sends a request from a thread. While the ring has no room, the thread waits. The call fails by itself when its
    /// time is over, even if no thread or task waits for its answer.
    public func startAndWait(_ request: consuming Request, timeout: Duration? = nil) throws(CallFailure) -> ChannelCall
    {
        let call = try enterAndSend(request, kind: .request, timeout: timeout)
        call.setTimer()
        return call
    }

    /// Sends a ping and waits for the pong on this thread, which must not be the event loop's thread. The extension
    /// answers when it next reads its ring.
    /// - Throws: the ping's failure, for example `.deadlineExceeded` if no pong arrives in time.
    public func pingAndWait(timeout: Duration) throws(CallFailure) {
        guard !state.loop.isCurrent else { throw .onEventLoop }
        _ = try wait(for: enterAndSend(Request(method: 0), kind: .ping, timeout: timeout))
    }

    /// Sends a ping without waiting.
    /// - Parameter answered: called once, with true if the pong arrives and false if the channel ends first. The
    ///   closure runs on the event loop's thread, or at once if the outcome is already known.
    /// - Returns: false if the ping could not be sent. Then `answered` is not called.
    package func ping(answered: @escaping @Sendable (_ isAnswered: Bool) -> Void) -> Bool {
        let sent: ChannelCall
        do throws(CallFailure) {
            sent = try enterAndSend(Request(method: 0), kind: .ping, timeout: nil, roomUntil: MonotonicClock.now())
        } catch {
            return false
        }
        sent.whenDone { outcome in answered((try? outcome.get()) != nil) }
        return true
    }

    // MARK: Through the table

    /// Enters a call in the table and sends its frame from this thread. While the ring has no room, the thread waits.
    /// - Parameter roomUntil: when to stop waiting for room; nil: at the call's deadline.
    private func enterAndSend(
        _ request: consuming Request, kind: FrameKind, timeout: Duration?, roomUntil: UInt64? = nil
    ) throws(CallFailure) -> ChannelCall {
        let call = try enter(request, kind: kind, timeout: timeout)
        do throws(CallFailure) {
            try sender.send(frame(of: request, kind: kind, for: call, timeout), until: roomUntil ?? call.deadline)
        } catch {
            call.giveUp(with: error, tell: false)
            throw error
        }
        return call
    }

    private func enter(
        _ request: borrowing Request, kind: FrameKind, timeout: Duration?
    ) throws(CallFailure) -> ChannelCall {
        try state.check(bytes: request.payload.count, descriptors: request.descriptors.count)
        return try leader.enter(
            method: request.method, isPing: kind == .ping, accepts: request.accepts,
            deadline: timeout.map { MonotonicClock.deadline(after: $0) }, mostReply: request.mostReply ?? 0)
    }

    private func frame(
        of request: consuming Request, kind: FrameKind, for call: ChannelCall, _ timeout: Duration?
    ) -> OutgoingFrame {
        let header = FrameHeader(
            kind: kind, descriptors: UInt8(request.descriptors.count), method: request.method, call: call.id)
        let terms = RequestTerms(
            limit: timeout.map { MonotonicClock.nanoseconds($0) } ?? .max, mostBytes: request.accepts.bytes,
            mostPieces: UInt64(max(request.accepts.pieces, 0)))
        return OutgoingFrame(
            header: header, terms: kind == .request ? terms : nil, payload: request.payload,
            descriptors: request.descriptors, transfer: state.isLarge(request.payload.count) ? LargeTransfer() : nil)
    }
}
