/// The work that one member, an extension or app, may cause in its broker. If a member exceeds this budget, the
/// broker leaves the member's requests in the socket for a while, and the member waits.
///
/// The budget reads no clock: callers pass the time, so that tests can choose it.
struct PortalBudget: Sendable {
    /// When the next request may be read.
    enum Pace: Sendable, Hashable {
        case now
        case at(UInt64)
        /// The next request may be read after an open request is finished.
        case afterAnswer
    }

    /// The most requests in one period. A member may send all of them at once.
    static let perPeriod = 400
    static let period: UInt64 = 100_000_000
    /// The most requests that have no answer yet.
    static let mostOpen = 64
    /// The most bytes in the requests that have no answer yet. The last of these requests may exceed the limit,
    /// because its size is known only after it was read.
    static let mostBytes = 1 << 20

    private var begin: UInt64 = 0
    private var count = 0
    private var open = 0
    private var bytes = 0

    /// - Parameter now: nanoseconds of a monotonic clock.
    mutating func pace(at now: UInt64) -> Pace {
        if now >= begin &+ Self.period { (begin, count) = (now, 0) }
        guard hasRoom else { return .afterAnswer }
        return count < Self.perPeriod ? .now : .at(begin &+ Self.period)
    }

    /// Whether the broker may read one more request before it answers an open request.
    var hasRoom: Bool { open < Self.mostOpen && bytes < Self.mostBytes }

    /// Counts a request that was read.
    mutating func take(bytes more: Int) {
        count += 1
        open += 1
        bytes += more
    }

    mutating func finish(bytes less: Int) {
        open = max(0, open - 1)
        bytes = max(0, bytes - less)
    }
}
