internal import AnnexLinux
internal import AnnexMessages

/// The call that a typed handler works on. The handler can check whether the host still wants the answer, and can send
/// messages to the host.
///
/// ```swift
/// service.serve(Resize.self) { request, context in
///     for line in request.lines {
///         if context.isCancelled { throw CancellationError() }
///         try context.sendAndWait(LineDone(line))
///         …
///     }
/// }
/// ```
///
/// Only the extension's first thread may use this object.
public final class CallContext {
    private var request: IncomingRequest?
    let lookout: ExtensionLookout

    init(_ request: consuming IncomingRequest) {
        lookout = request.lookout
        self.request = consume request
    }

    /// Whether the host no longer needs an answer. True if the host cancelled the call, the call's time limit has
    /// passed, the host is gone, or the call is answered already.
    ///
    /// Reading this property checks the channel. A handler that works for long should read it from time to time, because
    /// it learns only here that the host has cancelled the call.
    ///
    /// The host's watchdog does not check typed calls. It checks the extension while the host waits for a request of
    /// items, for an event of a dialogue, or for longer than a second in a stream. During such a wait, reading this
    /// property answers the watchdog. An extension that does not answer within the extension point's `watchdog` limit is
    /// then ended as `unresponsive`, also if a typed call delays it. A handler that awaits need not read this property,
    /// because the thread checks the channel during the wait.
    public var isCancelled: Bool {
        // `poll` may call a handler that uses this context. So the request is read after `poll`.
        guard (try? lookout.poll()) != nil else { return true }
        return request?.isGivenUp ?? true
    }

    /// How long the host still waits; nil if it waits without a limit, or if the call is answered already.
    public var timeRemaining: Duration? { request?.timeLeft }

    /// Sends a notice to the host. The notice arrives before the answer to this call. Waits while the ring has no room.
    public func sendAndWait<Notice: ChannelNotice>(_ notice: borrowing Notice) throws(ExtensionFailure) {
        try lookout.sendAndWait(notice)
    }

    /// Sends a request to the host and waits for its response on this thread. During the wait, no other handler runs.
    /// - Parameters:
    ///   - request: the request. Its type names the type of the response.
    ///   - timeout: the longest wait; nil: no limit.
    public func callAndWait<Asked: ChannelRequest>(
        _ request: borrowing Asked, timeout: Duration? = nil
    ) throws(ExtensionFailure) -> Asked.Response {
        try lookout.callAndWait(request, timeout: timeout)
    }

    /// Sends a request to the host, and suspends the task until the response arrives. During the wait, other handlers
    /// run.
    /// - Parameters:
    ///   - request: the request. Its type names the type of the response.
    ///   - timeout: the longest wait; nil: no limit.
    /// - Throws: `ExtensionFailure.cancelled` if the task was cancelled, and the other cases that `callAndWait` throws.
    public nonisolated(nonsending) func call<Asked: ChannelRequest>(
        _ request: Asked, timeout: Duration? = nil
    ) async throws(ExtensionFailure) -> Asked.Response {
        try await lookout.call(request, timeout: timeout)
    }

    /// Opens a stream to the host. If the host does not accept the stream, the host resets it with
    /// `StreamFailure.rejectedCode`.
    /// - Parameters:
    ///   - method: the kind of stream, in the numbering of the host and its extensions.
    ///   - arguments: bytes for the host's handler of the stream.
    public func openStream(_ method: UInt16, arguments: [UInt8] = []) throws(ExtensionFailure) -> ExtensionStream {
        try lookout.openStream(method, arguments: arguments)
    }

    /// Starts a task that works on the call.
    func startTask(_ body: @escaping () async -> Void) {
        request?.startTask(body)
    }

    /// Answers the call, or fails it with the error.
    func answer(with response: Result<some Message, any Error>) throws(ExtensionFailure) {
        guard let request = request.take() else { return }
        switch response {
        case .success(let response): try PendingResponse(request).send(response)
        case .failure(let error):
            let failure = HandlerFailure(describing: error)
            try request.fail(code: failure.code, text: failure.text)
        }
    }
}
