// This file adds handlers of typed streams. They run on the extension's first thread, as the handlers of requests do.

extension ChannelService {
    /// Handles one kind of typed stream that the host opens. The handler runs while this thread waits on the channel,
    /// and no other handler runs until this handler returns or waits.
    ///
    /// The stream stays open as long as the handler's code keeps a reference. If the handler throws, the stream is
    /// reset. The reset carries the code and text of a `HandlerFailure`, or the text of any other error.
    public mutating func handleStreams<Kind: ChannelStreamKind>(
        _: Kind.Type, with handler: @escaping (TypedExtensionStream<Kind>) throws -> Void
    ) {
        handle(Kind.self) { stream in
            do { try handler(stream) } catch { stream.fail(with: error) }
        }
    }

    /// Handles one kind of typed stream in a task for each stream. While the handler awaits, other handlers run. If the
    /// host cancels the stream or says goodbye, the task is cancelled. Errors are handled as in the form without a
    /// task.
    public mutating func handleStreams<Kind: ChannelStreamKind>(
        _: Kind.Type, with handler: @escaping (TypedExtensionStream<Kind>) async throws -> Void
    ) {
        handle(Kind.self) { stream in stream.startTask(handler) }
    }

    private mutating func handle<Kind: ChannelStreamKind>(
        _: Kind.Type, with handler: @escaping (TypedExtensionStream<Kind>) -> Void
    ) {
        handleStreams(of: Kind.method, for: Kind.self) { stream in
            if let typed = TypedExtensionStream<Kind>(accepting: stream) { handler(typed) }
        }
    }
}
