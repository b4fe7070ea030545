internal import AnnexMessages

// This file adds handlers that get a context of their call, and handlers that await. All handlers run on the
// extension's first thread. While a handler awaits, other handlers run and the thread reads the channel.

extension ChannelService {
    /// Serves one kind of request. The handler can ask its context whether the answer is still wanted, and can call the
    /// host. If the handler throws, the caller gets a failure. A `HandlerFailure` is sent unchanged. For any other
    /// error, the failure has the error's text.
    public mutating func serve<Asked: ChannelRequest>(
        _: Asked.Type, with handler: @escaping (Asked, CallContext) throws -> Asked.Response
    ) {
        serve(
            Asked.self,
            opening: { (asked: Asked, context: CallContext) throws(ExtensionFailure) in
                try context.answer(with: Result { try handler(asked, context) })
            })
    }

    /// Serves one kind of request in a task. If the host cancels the request, the task is cancelled. Several requests
    /// may be open at once.
    public mutating func serve<Asked: ChannelRequest>(
        _: Asked.Type, with handler: @escaping (Asked, CallContext) async throws -> Asked.Response
    ) {
        serve(
            Asked.self,
            opening: { (asked: Asked, context: CallContext) throws(ExtensionFailure) in
                context.startTask {
                    let result: Result<Asked.Response, any Error>
                    do { result = .success(try await handler(asked, context)) } catch { result = .failure(error) }
                    // If the host is gone, the serving loop ends at its next step.
                    try? context.answer(with: result)
                }
            })
    }

    /// Serves one kind of request in a task, like the asynchronous form above, but without a context.
    public mutating func serve<Asked: ChannelRequest>(
        _: Asked.Type, with handler: @escaping (Asked) async throws -> Asked.Response
    ) {
        serve(Asked.self) { (asked: Asked, _: CallContext) async throws in try await handler(asked) }
    }

    private mutating func serve<Asked: ChannelRequest>(
        _: Asked.Type, opening body: @escaping (Asked, CallContext) throws(ExtensionFailure) -> Void
    ) {
        deferAnswer(to: Asked.self) { (asked: Asked, request: consuming IncomingRequest) throws(ExtensionFailure) in
            try body(asked, CallContext(request))
        }
    }
}
