internal import AnnexLinux
internal import AnnexMessages
internal import Synchronization

/// A host's end of a stream: messages in both directions, in order. Each side sends only as much as the other has given
/// credit for. Any number of threads and tasks may use it at once.
///
/// If the last reference goes before both sides have finished, the stream is cancelled.
public final class ChannelStream: Sendable {
    enum Waiter {
        case thread(Parker)
        case task(CheckedContinuation<Void, Never>)

        /// May be called under the receiving lock, so a task is resumed on the event loop's thread.
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
        /// Why the stream ended early; nil if it did not.
        var failure: StreamFailure?
        /// Counts the changes, so that a task does not suspend if it has missed one.
        var changes: UInt64 = 0
        /// Waiters for a message, for credit, or for the end.
        var waiting: [Waiter] = []
    }

    /// The result of one check.
    enum CheckResult<Value> {
        case done(Value)
        case failed(StreamFailure)
        case mustWait
    }

    /// The result of taking from the queue: a message, or nil at the end, and the credit to return for it.
    struct PoppedMessage {
        var message: [UInt8]?
        var credit: UInt32?
    }

    /// The method that the stream was opened with; the users' own numbering.
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
    /// event loop's.
    /// - Parameter timeout: the longest wait; nil: `ChannelConfiguration.callLimit`, and the owner is notified if the
    ///   wait reaches it.
    /// - Throws: `StreamFailure.deadlineExceeded` when that time is over; the stream stays open.
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
    ///   - timeout: the longest wait for credit, and again for room in the ring; nil: `ChannelConfiguration.callLimit`
    ///     for credit and the channel's `sendLimit` for room. Without credit in time nothing is sent, and the stream
    ///     stays open. Without room in time the stream is cancelled.
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
        // Wakes threads and tasks that wait to send: they get no more credit from a stream that is over.
        change { inner in
            mustAnnounce = inner.failure == nil && inner.state.isSending
            if mustAnnounce { inner.state.finishSending() }
        }
        guard mustAnnounce else { return }
        leader.sender.sendSoon(OutgoingFrame(header: FrameHeader(kind: .finish, call: id), payload: []))
        retireIfOver()
    }

    /// Ends the stream in both directions. Waits at either end fail, and unread messages are dropped.
    /// - Parameters:
    ///   - code: sent to the other side; codes above 0xFFFF_FF00 are reserved for Annex.
    ///   - text: for people; at most its first 512 bytes are sent.
    public func cancel(code: UInt32 = StreamFailure.cancelledCode, text: String = "") {
        end(with: .cancelled, code: code, text: text)
    }

    /// Ends the stream because the extension sent a message that is not of its type, and informs the channel's owner.
    func violate(_ failure: DecodingFailure) {
        // Reported also after a reset or a cancel: a reader waits for the end of the extension that the report causes.
        end(with: .unreadable(failure), code: HandlerFailure.unreadableCode, text: "\(failure)")
        leader.state.loop.execute { [handlers = leader.state.handlers, method] in
            handlers.onUnreadable(method, failure)
        }
    }

    /// - Returns: false if the stream has failed before.
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

    /// Cancels a stream whose message spent its credit but was not sent, because the two sides' credit counts differ
    /// from then on.
    private func lose(_ failure: CallFailure) -> StreamFailure {
        cancel()
        return .channel(failure)
    }

    /// Returns the credit of a message that was taken. Called outside the lock.
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
        // The other side has finished, so receiving ends regularly, even if the stream has failed since then. A
        // stream that this side ended still fails.
        if !inner.state.isReceiving, inner.failure?.dropsMessages != true { return .done(PoppedMessage()) }
        return inner.failure.map(CheckResult.failed) ?? .mustWait
    }

    private func spend(_ inner: inout Inner, cost: UInt32, bytes: Int) -> CheckResult<Void> {
        if let failure = inner.failure { return .failed(failure) }
        guard inner.state.isSending else { return .failed(.finished) }
        // The other side's window is not known yet: wait for it.
        guard inner.state.peerWindow > 0 else { return .mustWait }
        let most = min(Int(clamping: inner.state.peerWindow) &- 16, leader.state.largestFrame)
        guard bytes <= most else { return .failed(.messageTooLarge(bytes: bytes, most: most)) }
        return inner.state.spend(cost) ? .done(()) : .mustWait
    }
}
