internal import AnnexMessages

/// An extension's end of a stream with typed messages, as a sequence of the host's messages.
///
/// The sequence ends when the host has finished. Only the extension's first thread may use the stream. An asynchronous
/// handler uses `receive`, `send` or `for try await`, and other handlers run during the wait. Other code uses
/// `receiveAndWait` and `sendAndWait`, which block the thread.
///
/// A message that cannot be decoded resets the stream with `HandlerFailure.unreadableCode`, and the reader gets
/// `ExtensionFailure.unreadable`. If the last reference to the stream is released before both sides have finished, the
/// stream is cancelled.
public struct TypedExtensionStream<Kind: ChannelStreamKind>: AsyncSequence {
    public typealias Element = Kind.FromHost
    public typealias Failure = ExtensionFailure

    /// The arguments with which the stream was opened.
    public let arguments: Kind.Arguments
    private let stream: ExtensionStream

    init(_ stream: ExtensionStream, arguments: Kind.Arguments) {
        self.stream = stream
        self.arguments = arguments
    }

    /// Accepts a stream that the host opens. If the arguments cannot be decoded, this resets the stream and returns
    /// nil.
    init?(accepting stream: ExtensionStream) {
        do throws(DecodingFailure) {
            self.init(stream, arguments: try Kind.Arguments(decoding: stream.arguments))
        } catch {
            // If the host is gone, the stream needs no reset.
            try? stream.reset(code: HandlerFailure.unreadableCode, text: "\(error)")
            return nil
        }
    }

    /// Returns the next message in order; nil if the host has finished. Suspends the task; cancelling the task ends the
    /// wait.
    /// - Throws: `ExtensionFailure.stream` if the stream has ended early, `.cancelled` if the task was cancelled.
    public nonisolated(nonsending) func receive() async throws(ExtensionFailure) -> Kind.FromHost? {
        try decoded(try await stream.next())
    }

    /// The form of `receive` for code without tasks. It blocks this thread, and no other handler runs during the wait.
    public func receiveAndWait() throws(ExtensionFailure) -> Kind.FromHost? {
        try decoded(try stream.nextAndWait())
    }

    /// Sends a message. Suspends the task until the host has room for it; cancelling the task ends the wait.
    /// - Parameter message: the message. Its encoding may have at most half the ring's bytes.
    /// - Throws: `ExtensionFailure.stream` if the stream has ended or the message is too large, `.cancelled` if the
    ///   task was cancelled. In these cases, nothing was sent.
    public nonisolated(nonsending) func send(_ message: Kind.FromExtension) async throws(ExtensionFailure) {
        try await stream.pass(try message.bytesForExtension())
    }

    /// The form of `send` for code without tasks. It blocks this thread, and no other handler runs during the wait.
    public func sendAndWait(_ message: Kind.FromExtension) throws(ExtensionFailure) {
        try stream.passAndWait(try message.bytesForExtension())
    }

    /// Announces that the extension sends no more messages. The host may still send.
    public func finish() throws(ExtensionFailure) { try stream.announceFinish() }

    /// Ends the stream in both directions.
    /// - Parameters:
    ///   - code: sent to the host; codes above 0xFFFF_FF00 are reserved for Annex.
    ///   - text: an explanation for people; at most its first 512 bytes are sent.
    public func cancel(
        code: UInt32 = StreamFailure.cancelledCode, text: String = ""
    ) throws(ExtensionFailure) {
        try stream.reset(code: code, text: text)
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: self) }

    /// Reads each of the host's messages once.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let stream: TypedExtensionStream

        /// Does the same as `receive()`.
        public mutating func next() async throws(ExtensionFailure) -> Kind.FromHost? {
            try await stream.receive()
        }

        /// Does the same as `receive()`, on the actor of the caller.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ExtensionFailure) -> Kind.FromHost? {
            try await stream.receive()
        }
    }

    private func decoded(_ bytes: [UInt8]?) throws(ExtensionFailure) -> Kind.FromHost? {
        guard let bytes else { return nil }
        do throws(DecodingFailure) {
            return try Kind.FromHost(decoding: bytes)
        } catch {
            try stream.reset(code: HandlerFailure.unreadableCode, text: "\(error)")
            throw .unreadable(error)
        }
    }
}

extension TypedExtensionStream {
    /// Handles the stream in a task. An error that the handler throws resets the stream.
    func startTask(_ handler: @escaping (TypedExtensionStream) async throws -> Void) {
        let typed = self
        stream.core.startTask(for: stream) {
            do { try await handler(typed) } catch { typed.fail(with: error) }
        }
    }

    /// Resets the stream, unless the stream has already ended.
    func fail(with error: any Error) {
        let isCancelled = error is CancellationError || error as? ExtensionFailure == .cancelled
        let failure =
            isCancelled
            ? HandlerFailure(code: StreamFailure.cancelledCode, text: "the extension's task was cancelled")
            : HandlerFailure(describing: error)
        // If the host is gone, the serving loop ends at its next step.
        try? stream.reset(code: failure.code, text: failure.text)
    }
}

extension ExtensionLookout {
    /// Opens a typed stream to the host.
    package func openStream<Kind: ChannelStreamKind>(
        _ kind: Kind.Type, arguments: Kind.Arguments
    ) throws(ExtensionFailure) -> TypedExtensionStream<Kind> {
        let stream = try openStream(Kind.method, arguments: arguments.bytesForExtension())
        return TypedExtensionStream(stream, arguments: arguments)
    }
}

extension ExtensionEndpoint {
    /// Opens a typed stream to the host. If the host does not accept the stream, the host resets it with
    /// `StreamFailure.rejectedCode`.
    /// - Parameters:
    ///   - kind: the type of the stream.
    ///   - arguments: what the host's handler of the stream gets.
    public borrowing func openStream<Kind: ChannelStreamKind>(
        _ kind: Kind.Type, arguments: Kind.Arguments
    ) throws(ExtensionFailure) -> TypedExtensionStream<Kind> {
        try ExtensionLookout(self).openStream(Kind.self, arguments: arguments)
    }
}

extension CallContext {
    /// Opens a typed stream to the host. If the host does not accept the stream, the host resets it with
    /// `StreamFailure.rejectedCode`.
    /// - Parameters:
    ///   - kind: the type of the stream.
    ///   - arguments: what the host's handler of the stream gets.
    public func openStream<Kind: ChannelStreamKind>(
        _ kind: Kind.Type, arguments: Kind.Arguments
    ) throws(ExtensionFailure) -> TypedExtensionStream<Kind> {
        try lookout.openStream(Kind.self, arguments: arguments)
    }
}

extension Message {
    /// Encodes the message for the extension's end of a typed stream.
    fileprivate func bytesForExtension() throws(ExtensionFailure) -> [UInt8] {
        do throws(EncodingFailure) {
            return try encoded()
        } catch {
            throw .unencodable(error)
        }
    }
}
