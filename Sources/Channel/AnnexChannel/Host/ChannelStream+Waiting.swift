internal import AnnexLinux
internal import Synchronization

extension ChannelStream {
    /// Checks the stream until there is a result, and blocks this thread between the checks.
    func wait<Value: Sendable>(
        _ timeout: Duration?, _ look: (inout Inner) -> CheckResult<Value>
    ) throws(StreamFailure) -> Value {
        var wait = StreamWait(timeout: timeout, leader: leader)
        defer { wait.end() }
        let parker = Parker()
        while true {
            let result = inner.withLock { inner in
                let result = look(&inner)
                if case .mustWait = result { inner.waiting.append(.thread(parker)) }
                return result
            }
            switch result {
            case .done(let value): return value
            case .failed(let failure): throw failure
            case .mustWait: break
            }
            defer { withdraw(parker) }
            // The event loop's thread must not block, because it has to read the frame for which this method waits.
            guard !leader.state.loop.isCurrent else { throw .channel(.onEventLoop) }
            parker.park(until: try wait.goOn())
        }
    }

    /// Like the other `wait`, for a task: the task suspends between the checks.
    nonisolated(nonsending) func wait<Value: Sendable>(
        _ timeout: Duration?, asTask look: (inout Inner) -> CheckResult<Value>
    ) async throws(StreamFailure) -> Value {
        var wait = StreamWait(timeout: timeout, leader: leader)
        defer { wait.end() }
        while true {
            let (result, changes) = inner.withLock { (look(&$0), $0.changes) }
            switch result {
            case .done(let value): return value
            case .failed(let failure): throw failure
            case .mustWait: break
            }
            guard !Task.isCancelled else { throw .cancelled }
            await suspendUntilChange(from: changes, until: try wait.goOn())
        }
    }

    private nonisolated(nonsending) func suspendUntilChange(from changes: UInt64, until moment: UInt64?) async {
        let timer = moment.map { moment in
            leader.state.loop.schedule(at: moment) { [weak self] in self?.change { _ in } }
        }
        defer { timer?.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isLate = inner.withLock { inner in
                    if inner.changes != changes || Task.isCancelled { return true }
                    inner.waiting.append(.task(continuation))
                    return false
                }
                if isLate { continuation.resume() }
            }
        } onCancel: {
            change { _ in }
        }
    }

    private func withdraw(_ parker: Parker) {
        inner.withLock { inner in
            inner.waiting.removeAll { waiter in
                if case .thread(let other) = waiter { other === parker } else { false }
            }
        }
    }

    /// Changes the stream's state and wakes every waiter, so that each waiter checks again.
    func change<Result: Sendable>(
        _ body: (inout Inner) throws(ChannelViolation) -> Result
    ) throws(ChannelViolation) -> Result {
        let (result, waiting) = try inner.withLock { (inner) throws(ChannelViolation) in
            let result = try body(&inner)
            inner.changes &+= 1
            defer { inner.waiting = [] }
            return (result, inner.waiting)
        }
        for waiter in waiting { waiter.wake(on: leader.state.loop) }
        return result
    }

    func change(_ body: (inout Inner) -> Void) {
        let waiting = inner.withLock { inner in
            body(&inner)
            inner.changes &+= 1
            defer { inner.waiting = [] }
            return inner.waiting
        }
        for waiter in waiting { waiter.wake(on: leader.state.loop) }
    }

    /// Ends the stream early.
    /// - Returns: whether the stream had no failure before.
    func fail(with failure: StreamFailure) -> Bool {
        var isFirst = false
        change { inner in
            isFirst = inner.failure == nil
            inner.failure = inner.failure ?? failure
            if failure.dropsMessages { inner.queue.removeAll() }
        }
        return isFirst
    }

    /// Handles a stream that the extension opens: passes the stream to the owner. If the owner accepts no streams or
    /// too many streams are open, resets the stream instead.
    static func accept(_ frame: Frame, leader: RingLeader) throws(ChannelViolation) {
        let (state, sender) = (leader.state, leader.sender)
        guard let (window, arguments) = StreamFrame.opening(frame.payload) else {
            throw .malformed(kind: frame.kind.rawValue, length: frame.payload.count)
        }
        let own = state.configuration.streamWindow
        guard state.streams.withLock({ $0.acceptPeer(frame.call) }) else { throw .unknownStream(frame.call) }
        let stream = ChannelStream(
            id: frame.call, method: frame.method, arguments: arguments,
            state: StreamState(window: own, peerWindow: window), leader: leader)
        guard let handler = state.handlers.onStream,
            state.streams.withLock({ $0.admit(stream, atMost: state.configuration.mostStreams) })
        else {
            stream.markRejected()
            let text = state.handlers.onStream == nil ? "this side accepts no streams" : "too many streams are open"
            return sender.sendSoon(ChannelStream.reset(frame.call, code: StreamFailure.rejectedCode, text: text))
        }
        sender.sendSoon(
            OutgoingFrame(header: FrameHeader(kind: .credit, call: frame.call), payload: WireBytes.bytes(own)))
        state.runHandler { handler(stream) }
    }

    /// Handles a frame of this stream.
    func handle(_ frame: Frame) throws(ChannelViolation) {
        switch frame.kind {
        case .data:
            try change { (inner) throws(ChannelViolation) in
                try inner.state.receive(StreamState.cost(frame.payload.count), stream: id)
                // If the stream has failed, it drops the message. The message still uses up credit.
                if inner.failure == nil { inner.queue.append(frame.payload) }
            }
        case .credit:
            guard frame.payload.count == 4, let credit = WireBytes.number(frame.payload, at: 0, as: UInt32.self) else {
                throw .malformed(kind: frame.kind.rawValue, length: frame.payload.count)
            }
            try change { (inner) throws(ChannelViolation) in
                try inner.state.receiveCredit(credit, stream: id)
            }
        case .finish:
            guard frame.payload.isEmpty else {
                throw .malformed(kind: frame.kind.rawValue, length: frame.payload.count)
            }
            try change { (inner) throws(ChannelViolation) in try inner.state.receiveFinish(stream: id) }
            retireIfOver()
        default:
            guard let failure = StreamFrame.reset(frame.payload) else {
                throw .malformed(kind: frame.kind.rawValue, length: frame.payload.count)
            }
            forget(expecting: 0)
            _ = fail(with: failure)
        }
    }

    /// Ends a stream whose opening frame was not sent. The extension does not know the stream, so it needs no reset.
    /// - Returns: the error for the caller that opened the stream.
    func abandon(for failure: CallFailure) -> StreamFailure {
        _ = fail(with: .channel(failure))
        forget(expecting: 0)
        return .channel(failure)
    }

    /// Marks a stream that was never accepted, so that `deinit` does not send a reset.
    func markRejected() { inner.withLock { $0.failure = .cancelled } }

    func retireIfOver() {
        let late = inner.withLock { $0.state.isOver ? $0.state.mostLateFrames : nil }
        if let late { forget(expecting: late) }
    }

    /// Takes the stream out of the table of open streams.
    /// - Parameter late: how many frames of the stream can still arrive from the extension; 0 if the extension reset
    ///   the stream.
    func forget(expecting late: UInt64) {
        leader.state.streams.withLock { $0.removeStream(id, expecting: late) }
    }
}

/// Events about long waits in a channel's streams, for the channel's owner. Waits for which the caller gave a timeout
/// are not reported.
public enum StreamWaiting: Sendable, Hashable {
    /// A wait has lasted one second. The value is the wait's number, counted from 1 within the channel.
    case began(UInt64)
    /// The wait with this number has ended.
    case ended(UInt64)
    /// A wait has lasted as long as `ChannelConfiguration.callLimit` allows, and has failed.
    case overstayed
}

/// One wait for a stream's other side. The caller's timeout limits the wait. If there is no timeout,
/// `ChannelConfiguration.callLimit` limits the wait. A wait without a timeout is reported to the owner once it has
/// lasted a second, as a request would be.
struct StreamWait {
    private let leader: RingLeader
    private let timeout: Duration?
    private var began: UInt64?
    private var deadline: UInt64?
    /// Whether the time is over and only one last check remains.
    private var isLastCheck = false
    /// The number under which the wait was reported to the owner; nil if it was not reported.
    private var reported: UInt64?

    /// How many nanoseconds a wait lasts before it is reported to the owner.
    private static let moment: UInt64 = 1_000_000_000

    init(timeout: Duration?, leader: RingLeader) {
        self.timeout = timeout
        self.leader = leader
    }

    /// Continues a wait after a check without a result.
    /// - Returns: when to check again at the latest; nil: check again only after a change.
    mutating func goOn() throws(StreamFailure) -> UInt64? {
        let now = MonotonicClock.now()
        let start = begin(at: now)
        if let deadline, now >= deadline { return try checkOnceMore(at: now) }
        guard timeout == nil, reported == nil else { return deadline }
        guard now &- start >= StreamWait.moment else { return min(deadline ?? .max, start &+ StreamWait.moment) }
        let number = leader.state.streamWaits.add(1, ordering: .relaxed).newValue
        reported = number
        leader.report(.began(number))
        return deadline
    }

    /// Ends the wait, because it has a result or was given up.
    func end() {
        if let reported { leader.report(.ended(reported)) }
    }

    private mutating func begin(at now: UInt64) -> UInt64 {
        if let began { return began }
        began = now
        deadline = (timeout ?? leader.state.configuration.callLimit).map { limit in
            let (sum, overflow) = now.addingReportingOverflow(MonotonicClock.nanoseconds(limit))
            return overflow ? .max : sum
        }
        return now
    }

    /// Reads the ring once more before the wait fails. If the host itself was suspended, messages that were sent in
    /// time may still be unread. If another thread of the host reads the ring, that thread was suspended too. So this
    /// method gives that thread extra time to read before the wait counts against the extension. A wait with a timeout
    /// never counts against the extension, so it gets no extra time.
    /// - Returns: when the last check is over.
    private mutating func checkOnceMore(at now: UInt64) throws(StreamFailure) -> UInt64 {
        guard !isLastCheck else { throw overstayed() }
        isLastCheck = true
        let mayBeUnread = !leader.pumpSoon() && timeout == nil
        let end = mayBeUnread ? MonotonicClock.deadline(after: RingLeader.longestSleep) : now
        deadline = end
        return end
    }

    private func overstayed() -> StreamFailure {
        if timeout == nil { leader.report(.overstayed) }
        return .deadlineExceeded
    }
}

extension RingLeader {
    fileprivate func report(_ waiting: StreamWaiting) {
        state.loop.execute { [handlers = state.handlers] in handlers.onStreamWait(waiting) }
    }
}
