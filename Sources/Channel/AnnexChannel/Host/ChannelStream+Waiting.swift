internal import AnnexLinux
internal import Synchronization

extension ChannelStream {
    /// Looks until there is something, and sleeps between the looks.
    func wait<Value: Sendable>(
        _ timeout: Duration?, _ look: (inout Inner) -> Look<Value>
    ) throws(StreamFailure) -> Value {
        var wait = StreamWait(timeout, leader)
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
            // That thread reads what this one would wait for.
            guard !leader.state.loop.isCurrent else { throw .channel(.onEventLoop) }
            parker.park(until: try wait.goOn())
        }
    }

    /// The same for a task.
    nonisolated(nonsending) func wait<Value: Sendable>(
        _ timeout: Duration?, asTask look: (inout Inner) -> Look<Value>
    ) async throws(StreamFailure) -> Value {
        var wait = StreamWait(timeout, leader)
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

    /// Changes what the stream is, and lets everybody who waits look again.
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

    /// Ends it before its time.
    /// - Returns: whether it had not ended before.
    func fail(with failure: StreamFailure) -> Bool {
        var isFirst = false
        change { inner in
            isFirst = inner.failure == nil
            inner.failure = inner.failure ?? failure
            if failure == .cancelled { inner.queue.removeAll() }
        }
        return isFirst
    }

    /// The extension opens a stream, which the owner takes, or nobody.
    static func accept(_ frame: Frame, _ leader: RingLeader) throws(ChannelViolation) {
        let (state, sender) = (leader.state, leader.sender)
        guard let (window, arguments) = StreamFrame.opening(frame.payload) else {
            throw .malformed(kind: frame.kind.rawValue, length: frame.payload.count)
        }
        let own = state.configuration.streamWindow
        guard state.streams.withLock({ $0.acceptPeer(frame.call) }) else { throw .unknownStream(frame.call) }
        let stream = ChannelStream(
            id: frame.call, method: frame.method, arguments: arguments,
            state: StreamState(window: own, peerWindow: window), leader: leader)
        guard let take = state.handlers.onStream,
            state.streams.withLock({ $0.admit(stream, atMost: state.configuration.mostStreams) })
        else {
            stream.refuse()
            let text = state.handlers.onStream == nil ? "nobody takes streams here" : "too many streams"
            return sender.sendSoon(ChannelStream.reset(frame.call, code: StreamFailure.refusedCode, text: text))
        }
        sender.sendSoon(
            OutgoingFrame(header: FrameHeader(kind: .credit, call: frame.call), payload: WireBytes.bytes(own)))
        state.tell { take(stream) }
    }

    /// A frame of this stream.
    func take(_ frame: Frame) throws(ChannelViolation) {
        switch frame.kind {
        case .data:
            try change { (inner) throws(ChannelViolation) in
                try inner.state.receive(StreamState.cost(frame.payload.count), stream: id)
                // Nobody takes it any more: its credit is spent all the same.
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
            forget(isForgone: nil)
            _ = fail(with: failure)
        }
    }

    /// It never began: its end has nothing to tell.
    func refuse() { inner.withLock { $0.failure = .cancelled } }

    func retireIfOver() {
        if inner.withLock({ $0.state.isOver }) { forget(isForgone: 0) }
    }

    /// Takes it out of the table.
    /// - Parameter owed: where this side let go of it, what the other may still have sent.
    func forget(isForgone owed: UInt32?) {
        leader.state.streams.withLock { $0.takeOut(id, forgoing: owed) }
    }
}

/// What an owner hears of those who wait for its extension in streams without a timeout of their own.
public enum StreamWaiting: Sendable, Hashable {
    /// One has waited for a second. Numbered from 1 within the channel.
    case began(UInt64)
    /// It waits no longer.
    case ended(UInt64)
    /// One has waited for as long as `ChannelConfiguration.callLimit` allows, and has given up.
    case overstayed
}

/// One wait for a stream's other side: for as long as its caller says, or else as the channel's owner does. What lasts
/// longer than a moment without a timeout of the caller's own is told to the owner, as a request would be.
struct StreamWait {
    private let leader: RingLeader
    private let timeout: Duration?
    private var began: UInt64?
    private var deadline: UInt64?
    /// The time is over, and what lies in the ring is looked at before that counts.
    private var isLastLook = false
    /// The number that the owner knows it by.
    private var told: UInt64?

    /// After which the owner is told.
    private static let moment: UInt64 = 1_000_000_000

    init(_ timeout: Duration?, _ leader: RingLeader) {
        self.timeout = timeout
        self.leader = leader
    }

    /// Nothing was there.
    /// - Returns: when to look again at the latest; nil: whenever something changes.
    mutating func goOn() throws(StreamFailure) -> UInt64? {
        let now = MonotonicClock.now()
        let start = begin(at: now)
        if let deadline, now >= deadline { return try lookOnceMore(at: now) }
        guard timeout == nil, told == nil else { return deadline }
        guard now &- start >= StreamWait.moment else { return min(deadline ?? .max, start &+ StreamWait.moment) }
        let number = leader.state.streamWaits.add(1, ordering: .relaxed).newValue
        told = number
        leader.tell(.began(number))
        return deadline
    }

    /// There is something, or the wait was given up.
    func end() {
        if let told { leader.tell(.ended(told)) }
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

    /// What the extension sent in time may lie in the ring unread, as when the host itself has stood still. So this thread
    /// reads before it gives up. Another thread that reads has stood still too, and gets a moment before the extension is
    /// blamed; a timeout of the caller's own blames nobody.
    /// - Returns: when the last look is over.
    private mutating func lookOnceMore(at now: UInt64) throws(StreamFailure) -> UInt64 {
        guard !isLastLook else { throw overstayed() }
        isLastLook = true
        let mayBeUnread = !leader.pumpSoon() && timeout == nil
        let end = mayBeUnread ? MonotonicClock.deadline(after: RingLeader.longestSleep) : now
        deadline = end
        return end
    }

    private func overstayed() -> StreamFailure {
        if timeout == nil { leader.tell(.overstayed) }
        return .deadlineExceeded
    }
}

extension RingLeader {
    fileprivate func tell(_ waiting: StreamWaiting) {
        state.loop.execute { [handlers = state.handlers] in handlers.onStreamWait(waiting) }
    }
}
