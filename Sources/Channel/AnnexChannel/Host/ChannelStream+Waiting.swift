internal import AnnexLinux
internal import Synchronization

extension ChannelStream {
    /// Looks until there is something, and sleeps between the looks.
    func wait<Value: Sendable>(
        _ timeout: Duration?, _ look: (inout Inner) -> Look<Value>
    ) throws(StreamFailure) -> Value {
        var wait = StreamWait(timeout, endpoint)
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
            guard !endpoint.loop.isCurrent else { throw .channel(.onEventLoop) }
            parker.park(until: try wait.goOn())
        }
    }

    /// The same for a task.
    nonisolated(nonsending) func wait<Value: Sendable>(
        _ timeout: Duration?, asTask look: (inout Inner) -> Look<Value>
    ) async throws(StreamFailure) -> Value {
        var wait = StreamWait(timeout, endpoint)
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
            endpoint.loop.schedule(at: moment) { [weak self] in self?.change { _ in } }
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
        for waiter in waiting { waiter.wake(on: endpoint.loop) }
        return result
    }

    func change(_ body: (inout Inner) -> Void) {
        let waiting = inner.withLock { inner in
            body(&inner)
            inner.changes &+= 1
            defer { inner.waiting = [] }
            return inner.waiting
        }
        for waiter in waiting { waiter.wake(on: endpoint.loop) }
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

    func retireIfOver() {
        if inner.withLock({ $0.state.isOver }) { endpoint.forget(id, isForgone: 0) }
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
    private let endpoint: HostEndpoint
    private let timeout: Duration?
    private var began: UInt64?
    private var deadline: UInt64?
    /// The time is over, and what lies in the ring is looked at before that counts.
    private var isLastLook = false
    /// The number that the owner knows it by.
    private var told: UInt64?

    /// After which the owner is told.
    private static let moment: UInt64 = 1_000_000_000

    init(_ timeout: Duration?, _ endpoint: HostEndpoint) {
        self.timeout = timeout
        self.endpoint = endpoint
    }

    /// Nothing was there.
    /// - Returns: when to look again at the latest; nil: whenever something changes.
    mutating func goOn() throws(StreamFailure) -> UInt64? {
        let now = MonotonicClock.now()
        let start = begin(at: now)
        if let deadline, now >= deadline { return try lookOnceMore(at: now) }
        guard timeout == nil, told == nil else { return deadline }
        guard now &- start >= StreamWait.moment else { return min(deadline ?? .max, start &+ StreamWait.moment) }
        let number = endpoint.streamWaits.add(1, ordering: .relaxed).newValue
        told = number
        endpoint.tell(.began(number))
        return deadline
    }

    /// There is something, or the wait was given up.
    func end() {
        if let told { endpoint.tell(.ended(told)) }
    }

    private mutating func begin(at now: UInt64) -> UInt64 {
        if let began { return began }
        began = now
        deadline = (timeout ?? endpoint.configuration.callLimit).map { limit in
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
        let mayBeUnread = !endpoint.pumpSoon() && timeout == nil
        let end = mayBeUnread ? MonotonicClock.deadline(after: HostEndpoint.longestSleep) : now
        deadline = end
        return end
    }

    private func overstayed() -> StreamFailure {
        if timeout == nil { endpoint.tell(.overstayed) }
        return .deadlineExceeded
    }
}

extension HostEndpoint {
    fileprivate func tell(_ waiting: StreamWaiting) {
        loop.execute { [handlers] in handlers.onStreamWait(waiting) }
    }
}
