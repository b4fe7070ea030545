public import AnnexChannel
internal import AnnexModel

/// A session's stream with typed messages, as a sequence of the extension's messages.
///
/// ```swift
/// let stream = try await session.openStream(Matches.self, arguments: Pattern("the"))
/// for try await line in stream { show(line) }
/// ```
///
/// The sequence ends when the extension has announced that it sends no more messages. If the extension is faster than
/// the reader, the extension has to wait. If a message cannot be decoded, the extension is ended. The stream keeps its
/// session alive. If the last reference to the stream is released before both sides have finished, the stream is
/// cancelled.
///
/// A wait without a timeout lasts at most as long as the extension point's limit for a request. An extension that
/// exceeds this limit is ended.
public struct SessionStream<Kind: ChannelStreamKind>: AsyncSequence, Sendable {
    public typealias Element = Kind.FromExtension
    public typealias Failure = HostError

    private let session: ExtensionSession
    private let stream: TypedChannelStream<Kind>

    fileprivate init(_ stream: TypedChannelStream<Kind>, of session: ExtensionSession) {
        self.stream = stream
        self.session = session
    }

    /// Returns the next message in order; nil if the extension sends no more messages. Cancelling the task ends the
    /// wait.
    /// - Parameter timeout: the longest wait. If it is nil, the extension point's limit for a request applies.
    /// - Throws: `HostError.cancelled` with the extension's error if the extension has reset the stream. `.ended` if
    ///   the extension has ended or has sent a message that cannot be decoded. `.unknownMethod` if the extension does
    ///   not serve this kind of stream. `.taskCancelled` if the task or the stream was cancelled. `.timedOut` after a
    ///   timeout; the stream stays open.
    public nonisolated(nonsending) func receive(
        timeout: Duration? = nil
    ) async throws(HostError) -> Kind.FromExtension? {
        let failure: StreamFailure
        do throws(StreamFailure) { return try await stream.receive(timeout: timeout) } catch { failure = error }
        throw await session.streamError(for: failure, isOwnLimit: timeout == nil)
    }

    /// Does the same as `receive`, for code without Swift concurrency. The call blocks this thread.
    public func receiveAndWait(timeout: Duration? = nil) throws(HostError) -> Kind.FromExtension? {
        do throws(StreamFailure) {
            return try stream.receiveAndWait(timeout: timeout)
        } catch {
            throw session.streamErrorAndWait(for: error, isOwnLimit: timeout == nil)
        }
    }

    /// Sends a message. The call suspends until the extension has room for the message. Cancelling the task ends the
    /// wait.
    /// - Parameters:
    ///   - message: the message. Its encoding has at most half the ring's bytes.
    ///   - timeout: the longest wait for the extension. If it is nil, the extension point's limit for a request
    ///     applies.
    /// - Throws: the errors of `receive`, and `.invalidRequest` if the message is too large or the host has called
    ///   `finish()`.
    public nonisolated(nonsending) func send(
        _ message: Kind.FromHost, timeout: Duration? = nil
    ) async throws(HostError) {
        let failure: StreamFailure
        do throws(StreamFailure) { return try await stream.send(message, timeout: timeout) } catch { failure = error }
        throw await session.streamError(for: failure, isOwnLimit: timeout == nil)
    }

    /// Does the same as `send`, for code without Swift concurrency. The call blocks this thread.
    public func sendAndWait(_ message: Kind.FromHost, timeout: Duration? = nil) throws(HostError) {
        do throws(StreamFailure) {
            try stream.sendAndWait(message, timeout: timeout)
        } catch {
            throw session.streamErrorAndWait(for: error, isOwnLimit: timeout == nil)
        }
    }

    /// Announces that the host sends no more messages. The extension may still send messages.
    public func finish() { stream.finish() }

    /// Ends the stream in both directions. Waits of the host and of the extension fail, and unread messages are
    /// dropped.
    public func cancel() { stream.cancel() }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: self) }

    /// Reads each of the extension's messages once.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let stream: SessionStream

        /// Does the same as `receive()`.
        public mutating func next() async throws(HostError) -> Kind.FromExtension? { try await stream.receive() }

        /// Does the same as `receive()`, on the actor of the caller.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(HostError) -> Kind.FromExtension? {
            try await stream.receive()
        }
    }
}

extension ExtensionSession {
    /// Opens a typed stream to the extension. The call suspends while the channel has no room. If the extension does
    /// not serve this kind of stream, the stream's first use fails with `HostError.unknownMethod`.
    /// - Parameters:
    ///   - kind: the type of the stream.
    ///   - arguments: the arguments for the extension's handler of the stream.
    ///   - window: how many bytes the extension may send before the host reads them, from 1 KiB to 256 MiB. Each
    ///     message counts as 16 bytes more than its size.
    /// - Throws: `HostError.ended` if the extension has ended. `.taskCancelled` if the task was cancelled.
    ///   `.invalidRequest` if the arguments are too large or too many streams are open.
    public nonisolated(nonsending) func openStream<Kind: ChannelStreamKind>(
        _ kind: Kind.Type, arguments: Kind.Arguments, window: Int = 65536
    ) async throws(HostError) -> SessionStream<Kind> {
        let failure: StreamFailure
        do throws(StreamFailure) {
            return SessionStream(
                try await channel.openTypedStream(Kind.self, arguments: arguments, window: window), of: self)
        } catch {
            failure = error
        }
        throw await streamError(for: failure, isOwnLimit: false)
    }

    /// Does the same as `openStream`, for code without Swift concurrency. The call blocks this thread.
    public func openStreamAndWait<Kind: ChannelStreamKind>(
        _ kind: Kind.Type, arguments: Kind.Arguments, window: Int = 65536
    ) throws(HostError) -> SessionStream<Kind> {
        do throws(StreamFailure) {
            return SessionStream(
                try channel.openTypedStreamAndWait(Kind.self, arguments: arguments, window: window), of: self)
        } catch {
            throw streamErrorAndWait(for: error, isOwnLimit: false)
        }
    }

    /// The caller's error for a failed stream. If the extension is ending, this method suspends until the end.
    fileprivate nonisolated(nonsending) func streamError(
        for failure: StreamFailure, isOwnLimit: Bool
    ) async -> HostError {
        switch StreamOutcome(failure, isOwnLimit: isOwnLimit) {
        case .error(let error): error
        case .call(let failure): await callerError(for: failure, isOwnLimit: false)
        case .end: .ended(await link.ended.value())
        }
    }

    /// Does the same as `streamError`, but blocks the thread instead of suspending.
    fileprivate func streamErrorAndWait(for failure: StreamFailure, isOwnLimit: Bool) -> HostError {
        switch StreamOutcome(failure, isOwnLimit: isOwnLimit) {
        case .error(let error): error
        case .call(let failure): callerErrorAndWait(for: failure, isOwnLimit: false)
        case .end: endAndWait()
        }
    }
}

/// The meaning of a stream's failure for the session's caller.
private enum StreamOutcome {
    case error(HostError)
    case call(CallFailure)
    /// The channel has reported the failure to the broker, which ends the extension.
    case end

    init(_ failure: StreamFailure, isOwnLimit: Bool) {
        switch failure {
        case .channel(let failure): self = .call(failure)
        case .unreadable: self = .end
        case .deadlineExceeded: self = isOwnLimit ? .end : .error(.timedOut)
        case .reset(StreamFailure.rejectedCode, _), .unsupported: self = .error(.unknownMethod)
        // This error is treated in the same way as a call that the extension answered with an error.
        case .reset(let code, let text): self = .call(.failed(code: code, text: text))
        case .cancelled: self = .error(.taskCancelled)
        case .finished, .messageTooLarge, .tooManyStreams, .unencodable: self = .error(.invalidRequest("\(failure)"))
        }
    }
}
