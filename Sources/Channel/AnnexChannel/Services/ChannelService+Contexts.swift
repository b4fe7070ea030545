internal import AnnexMessages

// Handlers that know the call they work on, and handlers that await. All of them run on the extension's first thread:
// one that awaits lets others run, and the channel is read meanwhile.

extension ChannelService {
    /// Serves one kind of request. The handler can ask its context whether the answer is still wanted, and can call the
    /// host meanwhile. If it throws, the caller gets a failure: a `HandlerFailure` as it is, any other error by its text.
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

    /// Serves one kind of request in a task, like the form with a context.
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
