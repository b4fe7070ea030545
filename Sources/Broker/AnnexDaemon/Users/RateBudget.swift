/// Limits how often something may happen in a period, for example packets in a second. Reads no clock: the caller
/// passes the moments.
struct RateBudget: Sendable {
    private let limit: Int
    private let window: UInt64
    private var left: Int
    private var windowEnds: UInt64 = 0

    /// - Parameter seconds: the length of the period.
    init(_ limit: Int, seconds: UInt64 = 1) {
        self.limit = limit
        window = seconds &* 1_000_000_000
        left = limit
    }

    /// - Parameter now: nanoseconds of a monotonic clock.
    /// - Returns: whether the period's limit was not reached yet.
    mutating func spend(at now: UInt64) -> Bool {
        if now >= windowEnds {
            windowEnds = now &+ window
            left = limit
        }
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}
