extension HostEndpoint {
    /// Sends a request and waits for its response on this thread. Not for the event loop's thread.
    ///
    /// Costs little over the bytes themselves: the request is encoded into memory that the channel keeps for its calls,
    /// and the response is decoded from a private copy there.
    /// - Parameter timeout: how long to wait at most, for room in the ring too; nil: as long as the channel lives.
    /// - Throws: `CallFailure.failed` with what the extension said instead of an answer, `.unreadable` when its answer
    ///   is no such response, `.unencodable` when the request breaks a limit of its own form.
    public func call<Asked: ChannelRequest>(
        _ request: Asked, timeout: Duration? = nil
    ) throws(CallFailure) -> Asked.Response {
        try call(request, timeout: timeout, patience: nil)
    }

    /// - Parameter patience: how long to wait at most without telling the extension so; nil: as `timeout` says.
    package func call<Asked: ChannelRequest>(
        _ request: Asked, timeout: Duration?, patience: Duration?
    ) throws(CallFailure) -> Asked.Response {
        try workspace.use(making: makeWorkspace) { (workspace) throws(CallFailure) in
            workspace.encoder.reset()
            request.encode(into: &workspace.encoder)
            if let failure = workspace.encoder.failure { throw .unencodable(failure) }
            // SAFETY: the workspace is this call's alone, and its memory stays until it is given back.
            let reply = unsafe workspace.reply
            var target = unsafe reply.mutableBytes
            let count = try workspace.encoder.withWritten { (payload) throws(CallFailure) in
                try call(Asked.method, payload, into: &target, timeout: timeout, patience: patience)
            }
            return try unsafe decoded(UnsafeRawBufferPointer(rebasing: reply.prefix(count)).bytes)
        }
    }

    /// What a task's call has come to without suspending.
    private struct Look<Response> {
        var response: Response?
        /// A call that was sent; nil where nothing was.
        var pending: ChannelCall?
    }

    private func look<Asked: ChannelRequest>(
        for request: Asked, _ timeout: Duration?
    ) throws(CallFailure) -> Look<Asked.Response> {
        try workspace.use(making: makeWorkspace) { (workspace) throws(CallFailure) in
            workspace.encoder.reset()
            request.encode(into: &workspace.encoder)
            if let failure = workspace.encoder.failure { throw .unencodable(failure) }
            // SAFETY: the workspace is this call's alone, and its memory stays until it is given back.
            let reply = unsafe workspace.reply
            let looked = try workspace.encoder.withWritten { (payload) throws(CallFailure) in
                try unsafe callLooking(Asked.method, payload, into: reply, timeout: timeout)
            }
            switch looked {
            case .answered(let count):
                let response: Asked.Response = try unsafe decoded(
                    UnsafeRawBufferPointer(rebasing: reply.prefix(count)).bytes)
                return Look(response: response)
            case .pending(let call): return Look(pending: call)
            case .notSent: return Look()
            }
        }
    }

    private func makeWorkspace() -> CallWorkspace {
        CallWorkspace(
            limits: limits,
            replyCapacity: Int(WireFormat.largestPayload(capacity: configuration.extensionCapacity)))
    }

    /// Sends a request and waits for its response without holding up a thread: looks for it for as long as that is
    /// cheaper than suspending. Cancelling the task cancels the call.
    public nonisolated(nonsending) func call<Asked: ChannelRequest>(
        _ request: Asked, timeout: Duration? = nil
    ) async throws(CallFailure) -> Asked.Response {
        let looked = try look(for: request, timeout)
        if let response = looked.response { return response }
        let reply = try await reply(to: request, looked.pending, timeout)
        return try unsafe decoded(reply.payload.span.bytes)
    }

    /// Waits for a call that is on its way, or goes the general way.
    private nonisolated(nonsending) func reply(
        to request: some ChannelRequest, _ pending: ChannelCall?, _ timeout: Duration?
    ) async throws(CallFailure) -> Reply {
        guard let pending else {
            return try await call(
                Request(method: type(of: request).method, payload: encoded(request)), timeout: timeout)
        }
        setTimer(for: pending)
        return try await pending.value()
    }

    /// Sends a notice; waits for room as a call does.
    public func send<Notice: ChannelNotice>(_ notice: borrowing Notice, timeout: Duration? = nil) throws(CallFailure) {
        try send(ChannelEvent(method: Notice.method, payload: encoded(notice)), timeout: timeout)
    }

    private func encoded(_ message: borrowing some Message) throws(CallFailure) -> [UInt8] {
        do throws(EncodingFailure) {
            return try message.encoded(within: limits)
        } catch {
            throw .unencodable(error)
        }
    }

    private func decoded<Value: Message>(_ bytes: RawSpan) throws(CallFailure) -> Value {
        do throws(DecodingFailure) {
            return try Value(decoding: bytes)
        } catch {
            throw .unreadable(error)
        }
    }

    private var limits: MessageLimits {
        // No more than a reader takes, however large the ring.
        MessageLimits(
            bytes: min(largestPayload, MessageLimits.standard.bytes), fields: MessageLimits.standard.fields,
            depth: MessageLimits.standard.depth)
    }
}
