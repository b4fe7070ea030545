public import AnnexChannel

// Messages to the host while a request is open.

extension ExtensionContext {
    /// Sends a notice to the host. If the request is open, the notice arrives before the answer. If the channel is
    /// full, this function waits until the channel has room.
    public func sendAndWait<Notice: ChannelNotice>(_ notice: borrowing Notice) throws(ExtensionFailure) {
        try life.lookout.sendAndWait(notice)
    }

    /// Sends a request to the host, and waits for the response on this thread. The host serves the request with its
    /// `HostService`.
    /// - Parameters:
    ///   - request: the request. Its type names the type of the response.
    ///   - timeout: the longest wait; nil for no limit.
    public func callAndWait<Asked: ChannelRequest>(
        _ request: borrowing Asked, timeout: Duration? = nil
    ) throws(ExtensionFailure) -> Asked.Response {
        try life.lookout.callAndWait(request, timeout: timeout)
    }

    /// Sends a request to the host, and suspends the task until the response arrives. The extension works on other
    /// requests meanwhile.
    /// - Parameters:
    ///   - request: the request. Its type names the type of the response.
    ///   - timeout: the longest wait; nil for no limit.
    /// - Throws: `ExtensionFailure.cancelled` if the task was cancelled, and the other errors that `callAndWait`
    ///   throws.
    public nonisolated(nonsending) func call<Asked: ChannelRequest>(
        _ request: Asked, timeout: Duration? = nil
    ) async throws(ExtensionFailure) -> Asked.Response {
        try await life.lookout.call(request, timeout: timeout)
    }

    /// Opens a stream to the host. If the host does not accept the stream, it resets the stream with
    /// `StreamFailure.rejectedCode`.
    /// - Parameters:
    ///   - method: the number of the kind of stream. The host and its extensions have agreed on these numbers.
    ///   - arguments: bytes for the host's handler of the stream.
    public func openStream(_ method: UInt16, arguments: [UInt8] = []) throws(ExtensionFailure) -> ExtensionStream {
        try life.lookout.openStream(method, arguments: arguments)
    }

    /// Opens a typed stream to the host. If the host does not accept the stream, it resets the stream with
    /// `StreamFailure.rejectedCode`.
    /// - Parameters:
    ///   - kind: the type of the stream.
    ///   - arguments: the arguments for the host's handler of the stream.
    public func openStream<Kind: ChannelStreamKind>(
        _ kind: Kind.Type, arguments: Kind.Arguments
    ) throws(ExtensionFailure) -> TypedExtensionStream<Kind> {
        try life.lookout.openStream(Kind.self, arguments: arguments)
    }
}

extension ExtensionContext {
    /// Whether the request has no answer yet.
    var isOpen: Bool { request != nil }

    /// Starts a task that runs the closure. The answer to the request is the items that the closure returns, or the
    /// error that the closure throws. If the host cancels the request, the task is cancelled.
    func complete(awaiting work: @escaping () async throws -> [ExtensionItem]) {
        isWorking = true
        request?.startTask { [self] in
            do {
                completeRequest(returning: try await work())
            } catch is ServesNoItems {
                failAsUnserved()
            } catch {
                cancelRequest(with: error)
            }
        }
    }

    /// Starts a task that works while the request is open. If the host cancels the request, or the extension answers it,
    /// the task is cancelled.
    func startTask(_ body: @escaping () async -> Void) {
        guard let task = request?.startTask(body) else { return }
        onAnswer = { task.cancel() }
    }

    /// Fails the request, because the extension serves no items.
    private func failAsUnserved() {
        guard let request = request.take() else { return }
        onAnswer.take()?()
        // If the host is gone, the failure has no recipient.
        try? request.fail(
            code: HandlerFailure.unknownMethodCode, text: "unknown method: this extension serves no items")
    }
}

/// The error of a principal object that implements neither `beginRequest(with:)` nor `respond(to:context:)`.
struct ServesNoItems: Error {}
