extension HostEndpoint {
    /// Sends a request and waits for its response on this thread. Not for the event loop's thread.
    ///
    /// Costs little over the bytes themselves: the request is encoded into memory that the channel keeps for its calls,
    /// and the response is decoded from a private copy there.
    /// - Parameter timeout: how long to wait at most, for room in the ring too; nil: as long as the channel lives.
    /// - Throws: `CallFailure.failed` with what the extension said instead of an answer, `.unreadable` when its answer
    ///   is no such response, `.unencodable` when the request breaks a limit of its own form.
    public func call<Asked: ChannelRequest>(
        _ request: borrowing Asked, timeout: Duration? = nil
    ) throws(CallFailure) -> Asked.Response {
        let payload = try encoded(request)
        let reply = try call(Request(method: Asked.method, payload: payload), timeout: timeout)
        return try decoded(reply.payload)
    }

    /// Sends a request and waits for its response without holding up a thread: looks for it for as long as that is
    /// cheaper than suspending. Cancelling the task cancels the call.
    public nonisolated(nonsending) func call<Asked: ChannelRequest>(
        _ request: Asked, timeout: Duration? = nil
    ) async throws(CallFailure) -> Asked.Response {
        let payload = try encoded(request)
        let reply = try await call(Request(method: Asked.method, payload: payload), timeout: timeout)
        return try decoded(reply.payload)
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

    private func decoded<Value: Message>(_ bytes: [UInt8]) throws(CallFailure) -> Value {
        do throws(DecodingFailure) {
            return try Value(decoding: bytes)
        } catch {
            throw .unreadable(error)
        }
    }

    private var limits: MessageLimits {
        MessageLimits(
            bytes: largestPayload, fields: MessageLimits.standard.fields, depth: MessageLimits.standard.depth)
    }
}
