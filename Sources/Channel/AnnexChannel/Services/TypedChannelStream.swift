internal import AnnexMessages

/// A host's end of a stream with typed messages, as a sequence of the extension's messages.
///
/// The sequence ends when the extension has finished. If several tasks read, each message reaches one of them. A
/// message uses the extension's credit until a task reads the message. So an extension that sends faster than the
/// reader reads has to wait.
///
/// A message that cannot be decoded violates the protocol. The stream then fails with `StreamFailure.unreadable`, and a
/// session ends its extension. If the last reference to the stream is released before both sides have finished, the
/// stream is cancelled.
public struct TypedChannelStream<Kind: ChannelStreamKind>: AsyncSequence, Sendable {
    public typealias Element = Kind.FromExtension
    public typealias Failure = StreamFailure

    /// The arguments with which the stream was opened. If the extension opened the stream, the arguments come from
    /// untrusted code.
    public let arguments: Kind.Arguments
    private let stream: ChannelStream

    init(_ stream: ChannelStream, arguments: Kind.Arguments) {
        self.stream = stream
        self.arguments = arguments
    }

    /// Returns the next message in order; nil if the extension has finished. Cancelling the task ends the wait.
    /// - Parameter timeout: the longest wait; nil: `ChannelConfiguration.callLimit`, and the owner is notified if the
    ///   wait reaches that limit.
    public nonisolated(nonsending) func receive(
        timeout: Duration? = nil
    ) async throws(StreamFailure) -> Kind.FromExtension? {
        try decoded(try await stream.receive(timeout: timeout))
    }

    /// The form of `receive` for code without Swift concurrency. It blocks this thread, which must not be the event
    /// loop's.
    public func receiveAndWait(timeout: Duration? = nil) throws(StreamFailure) -> Kind.FromExtension? {
        try decoded(try stream.receiveAndWait(timeout: timeout))
    }

    /// Sends a message; suspends until the extension has room for it. Cancelling the task ends the wait.
    /// - Parameters:
    ///   - message: the message. Its encoding may have at most half the ring's bytes.
    ///   - timeout: has the same meaning as in `ChannelStream.send`.
    public nonisolated(nonsending) func send(
        _ message: Kind.FromHost, timeout: Duration? = nil
    ) async throws(StreamFailure) {
        try await stream.send(try message.bytesForStream(), timeout: timeout)
    }

    /// The form of `send` for code without Swift concurrency. It blocks this thread.
    public func sendAndWait(_ message: Kind.FromHost, timeout: Duration? = nil) throws(StreamFailure) {
        try stream.sendAndWait(try message.bytesForStream(), timeout: timeout)
    }

    /// Announces that the host sends no more messages. The extension may still send.
    public func finish() { stream.finish() }

    /// Ends the stream in both directions. Waits on the stream at both ends fail, and unread messages are dropped.
    /// - Parameters:
    ///   - code: sent to the extension; codes above 0xFFFF_FF00 are reserved for Annex.
    ///   - text: an explanation for people; at most its first 512 bytes are sent.
    public func cancel(code: UInt32 = StreamFailure.cancelledCode, text: String = "") {
        stream.cancel(code: code, text: text)
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: self) }

    /// Reads each of the extension's messages once.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let stream: TypedChannelStream

        /// Does the same as `receive()`.
        public mutating func next() async throws(StreamFailure) -> Kind.FromExtension? {
            try await stream.receive()
        }

        /// Does the same as `receive()`, on the actor of the caller.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(StreamFailure) -> Kind.FromExtension? {
            try await stream.receive()
        }
    }

    private func decoded(_ bytes: [UInt8]?) throws(StreamFailure) -> Kind.FromExtension? {
        guard let bytes else { return nil }
        do throws(DecodingFailure) {
            return try Kind.FromExtension(decoding: bytes)
        } catch {
            stream.violate(error)
            throw .unreadable(error)
        }
    }
}

extension TypedChannelStream {
    /// Accepts streams that the extension opens, each in a task. An error that the handler throws resets its stream.
    ///
    /// An extension can open and reset streams faster than handlers end. So the channel runs at most as
    /// many handlers at once as streams may be open.
    static func accepting(
        with handler: @escaping @Sendable (TypedChannelStream) async throws -> Void
    ) -> @Sendable (ChannelStream) -> Void {
        { stream in
            do throws(DecodingFailure) {
                let typed = TypedChannelStream(stream, arguments: try Kind.Arguments(decoding: stream.arguments))
                guard stream.leader.state.beginStreamTask() else {
                    return stream.cancel(code: StreamFailure.rejectedCode, text: "too many streams are open")
                }
                Task {
                    do {
                        try await handler(typed)
                    } catch {
                        let failure = HandlerFailure(describing: error)
                        typed.cancel(code: failure.code, text: failure.text)
                    }
                    stream.leader.state.endStreamTask()
                }
            } catch {
                stream.violate(error)
            }
        }
    }
}

extension HostEndpoint {
    /// Opens a typed stream to the extension; suspends while the ring has no room. If the extension does not accept the
    /// stream, the stream's first use fails with `StreamFailure.reset` and the code `rejectedCode`.
    /// - Parameters:
    ///   - arguments: what the extension's handler of the stream gets.
    ///   - window: how many bytes the extension may send before the host reads them. Each message counts as 16 bytes
    ///     more than its length.
    ///   - timeout: the longest wait for room in the ring; nil means the channel's `sendLimit`.
    package nonisolated(nonsending) func openTypedStream<Kind: ChannelStreamKind>(
        _: Kind.Type, arguments: Kind.Arguments, window: Int = 65536, timeout: Duration? = nil
    ) async throws(StreamFailure) -> TypedChannelStream<Kind> {
        let bytes = try arguments.bytesForStream()
        let stream = try await openStreamLater(Kind.method, arguments: bytes, window: window, timeout: timeout)
        return TypedChannelStream(stream, arguments: arguments)
    }

    /// The form of `openTypedStream` for code without Swift concurrency. It blocks this thread.
    package func openTypedStreamAndWait<Kind: ChannelStreamKind>(
        _: Kind.Type, arguments: Kind.Arguments, window: Int = 65536, timeout: Duration? = nil
    ) throws(StreamFailure) -> TypedChannelStream<Kind> {
        let bytes = try arguments.bytesForStream()
        let stream = try openStream(Kind.method, arguments: bytes, window: window, timeout: timeout)
        return TypedChannelStream(stream, arguments: arguments)
    }
}

extension Message {
    /// Encodes the message for the host's end of a typed stream.
    fileprivate func bytesForStream() throws(StreamFailure) -> [UInt8] {
        do throws(EncodingFailure) {
            return try encoded()
        } catch {
            throw .unencodable(error)
        }
    }
}
