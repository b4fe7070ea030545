internal import AnnexLinux
internal import Synchronization

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
