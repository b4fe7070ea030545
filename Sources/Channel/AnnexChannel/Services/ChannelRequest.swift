public import AnnexMessages

/// A message to which the receiver sends a response message.
///
/// ```swift
/// struct Resize: ChannelRequest {
///     static let method: UInt16 = 10
///     typealias Response = Resized
///
///     var width: UInt32
///     var image: [UInt8]
///
///     func encode(into encoder: inout MessageEncoder) {
///         encoder.encode(width, as: 1)
///         encoder.encode(image, as: 2)
///     }
/// }
///
/// extension Resize {
///     init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
///         width = try decoder.decode(1)
///         image = try decoder.decode(2)
///     }
/// }
///
/// let resized = try await session.call(Resize(width: 320, image: picture))
/// ```
public protocol ChannelRequest: Message {
    /// The type of a successful answer.
    associatedtype Response: Message

    /// The request's number. Host and extension choose their own numbers. Annex reserves 1 and all numbers from 0xFE00
    /// on. If a number is reserved or registered twice, the service stops the program.
    static var method: UInt16 { get }
}

/// A one-way message without an answer.
public protocol ChannelNotice: Message {
    /// The notice's number. Host and extension choose their own numbers. Annex reserves 2 and all numbers from 0xFE00
    /// on. If a number is reserved or registered twice, the service stops the program.
    static var method: UInt16 { get }
}

/// A response without content. It only states that the request was carried out.
public struct NoContent: Message, Hashable {
    public init() {}

    public func encode(into encoder: inout MessageEncoder) {}

    /// Ignores fields that a newer writer may have added.
    public init(from decoder: inout MessageDecoder) throws(DecodingFailure) {}
}

extension HostEndpoint {
    /// Sends a request and waits for its response on this thread, which must not be the event loop's.
    ///
    /// A typed call costs little more than a call of plain bytes. The request is encoded into memory that the channel
    /// keeps for its calls. The response is decoded from a private copy in this memory.
    /// - Parameters:
    ///   - request: the request. Its type names the type of the response.
    ///   - timeout: the longest wait, which includes the wait for room in the ring; nil: as long as the channel lives.
    ///   - patience: the longest wait; ignored if there is a timeout. Patience costs less than a timeout, because it is
    ///     not sent to the extension.
    /// - Throws: `CallFailure.failed` if the extension answered with a failure, `.unreadable` if its answer cannot be
    ///   decoded, `.unencodable` if the request exceeds a limit of its encoding.
    @inlinable public func callAndWait<Asked: ChannelRequest>(
        _ request: Asked, timeout: Duration? = nil, patience: CallPatience? = nil
    ) throws(CallFailure) -> Asked.Response {
        let workspace = acquireWorkspace()
        defer { giveBack(workspace) }
        // SAFETY: only this call uses the workspace until it is given back.
        unsafe request.encode(into: &workspace.memory.pointee.encoder)
        let count = try callEncoded(Asked.method, in: workspace, timeout: timeout, patience: patience)
        return try unsafe Self.decoded(workspace.reply(count).bytes)
    }

    /// Sends a request and waits for its response without blocking a thread. The call first polls for the answer for as
    /// long as polling is cheaper than suspending. Cancelling the task cancels the call. When the call returns, the
    /// handlers of everything that the extension sent before its answer have run.
    /// - Parameters:
    ///   - request: the request. Its type names the type of the response.
    ///   - timeout: the longest wait, which includes the wait for room in the ring; nil: as long as the channel lives.
    ///   - patience: the longest wait; ignored if there is a timeout. Patience costs less than a timeout, because it is
    ///     not sent to the extension.
    @inlinable public nonisolated(nonsending) func call<Asked: ChannelRequest>(
        _ request: Asked, timeout: Duration? = nil, patience: CallPatience? = nil
    ) async throws(CallFailure) -> Asked.Response {
        let polled: PolledCall<Asked.Response>
        do throws(CallFailure) {
            polled = try callAndPoll(request, timeout: timeout, patience: patience)
        } catch {
            await waitForHandlers(before: error)
            throw error
        }
        // The value is consumed, because copying it would change reference counts.
        switch consume polled {
        case .answered(let response):
            if hasPendingHandlers { await waitForHandlers() }
            return response
        case .pending(let call):
            let reply = try await reply(to: request, pending: call, timeout: timeout, patience: patience)
            return try unsafe Self.decoded(reply.payload.span.bytes)
        }
    }

    /// Sends a notice; blocks this thread while the ring has no room.
    /// - Parameters:
    ///   - notice: the notice to send.
    ///   - timeout: the longest wait; nil: the channel's `sendLimit`.
    public func sendAndWait<Notice: ChannelNotice>(
        _ notice: borrowing Notice, timeout: Duration? = nil
    ) throws(CallFailure) {
        try sendAndWait(ChannelEvent(method: Notice.method, payload: encoded(notice)), timeout: timeout)
    }

    /// Sends a notice; suspends while the ring has no room. Cancelling the task ends the wait.
    /// - Parameters:
    ///   - notice: the notice to send.
    ///   - timeout: the longest wait; nil: the channel's `sendLimit`.
    public nonisolated(nonsending) func send<Notice: ChannelNotice>(
        _ notice: borrowing Notice, timeout: Duration? = nil
    ) async throws(CallFailure) {
        try await send(ChannelEvent(method: Notice.method, payload: encoded(notice)), timeout: timeout)
    }

    @inlinable func callAndPoll<Asked: ChannelRequest>(
        _ request: Asked, timeout: Duration?, patience: CallPatience?
    ) throws(CallFailure) -> PolledCall<Asked.Response> {
        let workspace = acquireWorkspace()
        defer { giveBack(workspace) }
        // SAFETY: only this call uses the workspace until it is given back.
        unsafe request.encode(into: &workspace.memory.pointee.encoder)
        switch try callEncodedAndPoll(Asked.method, in: workspace, timeout: timeout, patience: patience) {
        case .answered(let count): return .answered(try unsafe Self.decoded(workspace.reply(count).bytes))
        case .pending(let call): return .pending(call)
        case .notSent: return .pending(nil)
        }
    }

    @inlinable static func decoded<Value: Message>(_ bytes: RawSpan) throws(CallFailure) -> Value {
        do throws(DecodingFailure) {
            return try Value(decoding: bytes)
        } catch {
            throw .unreadable(error)
        }
    }
}

extension HostEndpoint {
    /// Whether a handler for an already read message still runs or still has to run.
    @usableFromInline var hasPendingHandlers: Bool { state.hasPendingHandlers }

    @usableFromInline nonisolated(nonsending) func waitForHandlers() async { await state.waitForHandlers() }

    @usableFromInline nonisolated(nonsending) func waitForHandlers(before failure: CallFailure) async {
        await state.waitForHandlers(before: failure)
    }

    /// Waits for the answer to a call that was sent. If the call was not sent, first sends it with `start`.
    @usableFromInline nonisolated(nonsending) func reply(
        to request: some ChannelRequest, pending: ChannelCall?, timeout: Duration?, patience: CallPatience?
    ) async throws(CallFailure) -> Reply {
        guard let pending else {
            let bytes = Request(
                method: type(of: request).method, payload: try encoded(request),
                mostReply: MessageLimits.standard.bytes)
            let limit = timeout ?? patience.map { .nanoseconds(Int64(clamping: $0.nanoseconds)) }
            return try await start(bytes, timeout: limit).value()
        }
        pending.setTimer()
        return try await pending.value()
    }

    private func encoded(_ message: borrowing some Message) throws(CallFailure) -> [UInt8] {
        do throws(EncodingFailure) {
            return try message.encoded(within: limits)
        } catch {
            throw .unencodable(error)
        }
    }
}

extension ExtensionEndpoint {
    /// Sends a request to the host and waits for its response.
    /// - Parameters:
    ///   - request: the request. Its type names the type of the response.
    ///   - timeout: the longest wait; nil: no limit.
    public borrowing func callAndWait<Asked: ChannelRequest>(
        _ request: borrowing Asked, timeout: Duration? = nil
    ) throws(ExtensionFailure) -> Asked.Response {
        try ExtensionLookout(self).callAndWait(request, timeout: timeout)
    }

    /// Sends a notice to the host; waits while the ring has no room.
    public borrowing func sendAndWait<Notice: ChannelNotice>(_ notice: borrowing Notice) throws(ExtensionFailure) {
        try ExtensionLookout(self).sendAndWait(notice)
    }
}
