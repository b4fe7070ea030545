/// So many of something within a time: packets in a second, changes in a minute. Pure: moments come with what is spent.
struct RateBudget: Sendable {
    private let limit: Int
    private let window: UInt64
    private var left: Int
    private var windowEnds: UInt64 = 0

    /// - Parameter seconds: how long the time is.
    init(_ limit: Int, seconds: UInt64 = 1) {
        self.limit = limit
        window = seconds &* 1_000_000_000
        left = limit
    }

    /// - Parameter now: nanoseconds of a clock that only goes forward.
    /// - Returns: whether there was one left.
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
