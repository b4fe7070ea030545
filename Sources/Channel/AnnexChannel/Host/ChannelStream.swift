internal import AnnexLinux
internal import Synchronization

/// A host's end of a stream: messages in both directions, in order, each side sending only what the other has said it
/// will keep. Any number of threads and tasks may use it at once.
///
/// Let go of without `finish` on both sides or `cancel`, it cancels.
public final class ChannelStream: Sendable {
    enum Waiter {
        case thread(Parker)
        case task(CheckedContinuation<Void, Never>)

        /// May be called under the receiving lock: a task is resumed on the event loop's thread.
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
        /// Why it ended before its time.
        var failure: StreamFailure?
        /// Counts what happened, so that nobody goes to sleep on old news.
        var changes: UInt64 = 0
        /// Whoever waits for a message, for credit, or for the end.
        var waiting: [Waiter] = []
    }

    /// What one look came to.
    enum Look<Value> {
        case done(Value)
        case failed(StreamFailure)
        case mustWait
    }

    /// What was taken out of the queue: a message or the end, and the credit to give for it.
    struct Taken {
        var message: [UInt8]?
        var credit: UInt32?
    }

    /// Which stream it is; the users' own numbering.
    public let method: UInt16
    /// What its opener said with it.
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
        forget(isForgone: inner.withLock { $0.state.owed })
        leader.sender.sendSoon(Self.reset(id, code: StreamFailure.cancelledCode, text: ""))
    }

    /// The next message, in order; nil once the other side has finished. Waits on this thread, which must not be the
    /// event loop's.
    /// - Parameter timeout: how long to wait at most; nil: as long as `ChannelConfiguration.callLimit` allows a call, and
    ///   the owner hears of a wait that reaches it.
    /// - Throws: `StreamFailure.deadlineExceeded` at that time's end; the stream goes on.
    public func receiveAndWait(timeout: Duration? = nil) throws(StreamFailure) -> [UInt8]? {
        try taken(wait(timeout) { Self.take(&$0) })
    }

    /// The next message, in order; nil once the other side has finished.
    /// - Parameter timeout: as for `receiveAndWait`.
    public nonisolated(nonsending) func receive(
        timeout: Duration? = nil
    ) async throws(StreamFailure) -> [UInt8]? {
        try await taken(wait(timeout, asTask: { Self.take(&$0) }))
    }

    /// Sends a message; waits on this thread until the other side has room for it.
    /// - Parameter timeout: how long to wait at most, for credit and for room in the ring each; nil: for credit as long as
    ///   `ChannelConfiguration.callLimit` allows a call, and for room the channel's `sendLimit`. If there is no room by
    ///   then the stream is cancelled; without credit nothing was sent, and the stream goes on.
    public func sendAndWait(_ message: [UInt8], timeout: Duration? = nil) throws(StreamFailure) {
        let cost = StreamState.cost(message.count)
        try wait(timeout) { spend(&$0, cost, message.count) }
        do throws(CallFailure) {
            try leader.sender.send(data(message), until: timeout.map { MonotonicClock.deadline(after: $0) })
        } catch {
            throw lose(error)
        }
    }

    /// Sends a message; suspends until the other side has room for it.
    /// - Parameter timeout: as for `sendAndWait`.
    public nonisolated(nonsending) func send(
        _ message: [UInt8], timeout: Duration? = nil
    ) async throws(StreamFailure) {
        let cost = StreamState.cost(message.count)
        try await wait(timeout, asTask: { spend(&$0, cost, message.count) })
        do throws(CallFailure) {
            try await leader.sender.sendLater(data(message), until: timeout.map { MonotonicClock.deadline(after: $0) })
        } catch {
            throw lose(error)
        }
    }

    /// Says that no more messages follow. The other side's may still come.
    public func finish() {
        var mustTell = false
        // Whoever waits to send hears of it here: of a stream that is over, nothing more comes.
        change { inner in
            mustTell = inner.failure == nil && inner.state.isSending
            if mustTell { inner.state.finishSending() }
        }
        guard mustTell else { return }
        leader.sender.sendSoon(OutgoingFrame(header: FrameHeader(kind: .finish, call: id), payload: []))
        retireIfOver()
    }

    /// Lets go of the stream in both directions. Whoever waits at either end is told; what is unread is dropped.
    /// - Parameters:
    ///   - code: for the other side; above 0xFFFF_FF00 they are Annex's own.
    ///   - text: for people; at most 512 bytes of it.
    public func cancel(code: UInt32 = StreamFailure.cancelledCode, text: String = "") {
        guard fail(with: .cancelled) else { return }
        forget(isForgone: inner.withLock { $0.state.owed })
        leader.sender.sendSoon(Self.reset(id, code: code, text: text))
    }

    static func reset(_ id: UInt64, code: UInt32, text: String) -> OutgoingFrame {
        OutgoingFrame(header: FrameHeader(kind: .reset, call: id), payload: StreamFrame.reset(code: code, text))
    }

    private func data(_ message: [UInt8]) -> OutgoingFrame {
        OutgoingFrame(header: FrameHeader(kind: .data, method: method, call: id), payload: message)
    }

    /// A message that had its credit and was not sent: the two sides' books differ from here on.
    private func lose(_ failure: CallFailure) -> StreamFailure {
        cancel()
        return .channel(failure)
    }

    /// Gives the credit of a message that was taken, outside the lock.
    private func taken(_ taken: Taken) -> [UInt8]? {
        if let credit = taken.credit {
            leader.sender.sendSoon(
                OutgoingFrame(header: FrameHeader(kind: .credit, call: id), payload: WireBytes.bytes(credit)))
        }
        return taken.message
    }

    private static func take(_ inner: inout Inner) -> Look<Taken> {
        if let message = inner.queue.takeFirst() {
            let credit = inner.state.take(StreamState.cost(message.count), isEmpty: inner.queue.isEmpty)
            return .done(Taken(message: message, credit: credit))
        }
        // Whatever came after the other side's last word does not unsay it.
        if !inner.state.isReceiving, inner.failure != .cancelled { return .done(Taken()) }
        return inner.failure.map(Look.failed) ?? .mustWait
    }

    private func spend(_ inner: inout Inner, _ cost: UInt32, _ bytes: Int) -> Look<Void> {
        if let failure = inner.failure { return .failed(failure) }
        guard inner.state.isSending else { return .failed(.finished) }
        // Until the other side has said what it takes, only its saying so is awaited.
        guard inner.state.peerWindow > 0 else { return .mustWait }
        let most = min(Int(clamping: inner.state.peerWindow) &- 16, leader.state.largestFrame)
        guard bytes <= most else { return .failed(.messageTooLarge(bytes: bytes, most: most)) }
        return inner.state.spend(cost) ? .done(()) : .mustWait
    }
}
