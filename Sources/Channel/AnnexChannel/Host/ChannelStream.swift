internal import AnnexLinux
internal import AnnexMessages
internal import Synchronization

/// A host's end of a stream: messages in both directions, in order. Each side sends only as much as the other side has
/// given credit for. Any number of threads and tasks may use the stream at once.
///
/// If the last reference is dropped before both sides have finished, the stream is cancelled.
public final class ChannelStream: Sendable {
    enum Waiter {
        case thread(Parker)
        case task(CheckedContinuation<Void, Never>)

        /// Callers may hold the receiving lock, so this method resumes a task on the event loop's thread.
        func wake(on loop: EventLoop) {
            switch self {
            case .thread(let parker): parker.unpark()
            case .task(let continuation): loop.perform { continuation.resume() }
            }
        }
    }

    struct Inner {
        var state: StreamState
        var queue = StreamQueue()
        /// Why the stream ended early; nil if it did not end early.
        var failure: StreamFailure?
        /// Counts the changes of the stream. A task suspends only if this count has not changed since the task's last
        /// check.
        var changes: UInt64 = 0
        /// The threads and tasks that wait for a message, for credit, or for the stream's end.
        var waiting: [Waiter] = []
    }

    /// The result of one check of the stream's state.
    enum CheckResult<Value> {
        case done(Value)
        case failed(StreamFailure)
        case mustWait
    }

    /// The result of taking a message from the queue. `message` is nil at the stream's end. `credit` is the credit to
    /// return to the other side now; nil if there is none to return yet.
    struct PoppedMessage {
        var message: [UInt8]?
        var credit: UInt32?
    }

    /// The method that the stream was opened with, in the numbering of the host and its extensions.
    public let method: UInt16
    /// The bytes that the stream was opened with.
    public let arguments: [UInt8]
    let id: UInt64
    let inner: Mutex<Inner>
    let leader: RingLeader

    init(id: UInt64, method: UInt16, arguments: [UInt8], state: StreamState, leader: RingLeader) {
        self.id = id
        self.method = method
        self.arguments = arguments
        self.leader = leader
        inner = Mutex(Inner(state: state))
    }

    deinit {
        guard inner.withLock({ $0.failure == nil && !$0.state.isOver }) else { return }
        forget(expecting: inner.withLock { $0.state.mostLateFrames })
        leader.sender.sendSoon(Self.reset(id, code: StreamFailure.cancelledCode, text: ""))
    }

    /// Returns the next message in order; nil if the other side has finished. Blocks this thread, which must not be the
    /// event loop's thread.
    /// - Parameter timeout: the longest wait; nil: `ChannelConfiguration.callLimit`. If a wait reaches that limit, the
    ///   channel notifies the owner.
    /// - Throws: `StreamFailure.deadlineExceeded` when the time is over. The stream then stays open.
    public func receiveAndWait(timeout: Duration? = nil) throws(StreamFailure) -> [UInt8]? {
        try returnCredit(of: wait(timeout) { Self.popMessage(from: &$0) })
    }

    /// Returns the next message in order; nil if the other side has finished.
    /// - Parameter timeout: as for `receiveAndWait`.
    public nonisolated(nonsending) func receive(
        timeout: Duration? = nil
    ) async throws(StreamFailure) -> [UInt8]? {
        try await returnCredit(of: wait(timeout, asTask: { Self.popMessage(from: &$0) }))
    }

    /// Sends a message; blocks this thread until the other side has room for it.
    /// - Parameters:
    ///   - message: the bytes to send.
    ///   - timeout: the longest wait for credit, and then again the longest wait for room in the ring. If nil,
    ///     `ChannelConfiguration.callLimit` limits the wait for credit, and the channel's `sendLimit` limits the wait
    ///     for room. If credit does not arrive in time, nothing is sent, and the stream stays open. If the ring has no
    ///     room in time, the stream is cancelled.
    public func sendAndWait(_ message: [UInt8], timeout: Duration? = nil) throws(StreamFailure) {
        let cost = StreamState.cost(message.count)
        try wait(timeout) { spend(&$0, cost: cost, bytes: message.count) }
        do throws(CallFailure) {
            try leader.sender.send(data(message), until: timeout.map { MonotonicClock.deadline(after: $0) })
        } catch {
            throw lose(error)
        }
    }

    /// Sends a message; suspends until the other side has room for it.
    /// - Parameters:
    ///   - message: the bytes to send.
    ///   - timeout: as for `sendAndWait`.
    public nonisolated(nonsending) func send(
        _ message: [UInt8], timeout: Duration? = nil
    ) async throws(StreamFailure) {
        let cost = StreamState.cost(message.count)
        try await wait(timeout, asTask: { spend(&$0, cost: cost, bytes: message.count) })
        do throws(CallFailure) {
            try await leader.sender.sendLater(data(message), until: timeout.map { MonotonicClock.deadline(after: $0) })
        } catch {
            throw lose(error)
        }
    }

    /// Announces that this side sends no more messages. The other side may still send.
    public func finish() {
        var mustAnnounce = false
        // `change` wakes threads and tasks that wait for credit to send. They cannot send any more, because this side
        // has finished.
        change { inner in
            mustAnnounce = inner.failure == nil && inner.state.isSending
            if mustAnnounce { inner.state.finishSending() }
        }
        guard mustAnnounce else { return }
        leader.sender.sendSoon(OutgoingFrame(header: FrameHeader(kind: .finish, call: id), payload: []))
        retireIfOver()
    }

    /// Ends the stream in both directions. Waits at both ends fail, and unread messages are dropped.
    /// - Parameters:
    ///   - code: the code to send to the other side. Codes above 0xFFFF_FF00 are reserved for Annex.
    ///   - text: a text for people. At most its first 512 bytes are sent.
    public func cancel(code: UInt32 = StreamFailure.cancelledCode, text: String = "") {
        end(with: .cancelled, code: code, text: text)
    }

    /// Ends the stream because the extension sent a message that is not of the stream's type, and notifies the
    /// channel's owner.
    func violate(_ failure: DecodingFailure) {
        // The failure is reported even if the stream was reset or cancelled before. The report makes the owner end the
        // extension. A session that reads the stream waits until the extension has ended.
        end(with: .unreadable(failure), code: HandlerFailure.unreadableCode, text: "\(failure)")
        leader.state.loop.execute { [handlers = leader.state.handlers, method] in
            handlers.onUnreadable(method, failure)
        }
    }

    /// - Returns: false if the stream had failed before.
    @discardableResult
    private func end(with failure: StreamFailure, code: UInt32, text: String) -> Bool {
        guard fail(with: failure) else { return false }
        forget(expecting: inner.withLock { $0.state.mostLateFrames })
        leader.sender.sendSoon(Self.reset(id, code: code, text: text))
        return true
    }

    /// The frame that opens this stream.
    func opening(_ arguments: [UInt8]) -> OutgoingFrame {
        let window = inner.withLock { $0.state.window }
        return OutgoingFrame(
            header: FrameHeader(kind: .open, method: method, call: id),
            payload: StreamFrame.opening(window: window, arguments))
    }

    static func reset(_ id: UInt64, code: UInt32, text: String) -> OutgoingFrame {
        OutgoingFrame(header: FrameHeader(kind: .reset, call: id), payload: StreamFrame.reset(code: code, text))
    }

    private func data(_ message: [UInt8]) -> OutgoingFrame {
        OutgoingFrame(header: FrameHeader(kind: .data, method: method, call: id), payload: message)
    }

    /// Cancels the stream, because the credit for a message was spent but the message was not sent. The two sides would
    /// now count different credit.
    private func lose(_ failure: CallFailure) -> StreamFailure {
        cancel()
        return .channel(failure)
    }

    /// Returns the credit of a message that was taken. The caller must not hold the stream's lock.
    private func returnCredit(of taken: PoppedMessage) -> [UInt8]? {
        if let credit = taken.credit {
            leader.sender.sendSoon(
                OutgoingFrame(header: FrameHeader(kind: .credit, call: id), payload: WireBytes.bytes(credit)))
        }
        return taken.message
    }

    private static func popMessage(from inner: inout Inner) -> CheckResult<PoppedMessage> {
        if let message = inner.queue.popFirst() {
            let credit = inner.state.recordPop(cost: StreamState.cost(message.count), isEmpty: inner.queue.isEmpty)
            return .done(PoppedMessage(message: message, credit: credit))
        }
        // If the other side has finished, receiving ends without an error, even if the stream has failed since then.
        // But if this side itself ended the stream, receiving fails.
        if !inner.state.isReceiving, inner.failure?.dropsMessages != true { return .done(PoppedMessage()) }
        return inner.failure.map(CheckResult.failed) ?? .mustWait
    }

    private func spend(_ inner: inout Inner, cost: UInt32, bytes: Int) -> CheckResult<Void> {
        if let failure = inner.failure { return .failed(failure) }
        guard inner.state.isSending else { return .failed(.finished) }
        // The other side's window is not known yet, so the sender waits for it.
        guard inner.state.peerWindow > 0 else { return .mustWait }
        let most = min(Int(clamping: inner.state.peerWindow) &- 16, leader.state.largestFrame)
        guard bytes <= most else { return .failed(.messageTooLarge(bytes: bytes, most: most)) }
        return inner.state.spend(cost) ? .done(()) : .mustWait
    }
}
