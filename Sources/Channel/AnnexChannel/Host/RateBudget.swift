internal import AnnexLinux

/// So many of something within a second, counted in whole seconds from the first.
struct RateBudget: Sendable {
    let limit: UInt32
    private let period: UInt64
    private(set) var spent: UInt32 = 0
    private var windowEnds: UInt64 = 0
    private var hasWarned = false

    /// - Parameter period: counts as one second.
    init(limit: UInt32, period: Duration = .seconds(1)) {
        self.limit = limit
        self.period = MonotonicClock.nanoseconds(period)
    }

    /// Spends some at the moment `now` of `MonotonicClock`.
    /// - Returns: whether it was still within the budget.
    mutating func spend(_ amount: UInt32 = 1, at now: UInt64) -> Bool {
        if now >= windowEnds {
            windowEnds = now &+ period
            spent = 0
            hasWarned = false
        }
        guard amount <= limit &- spent else { return false }
        spent &+= amount
        return true
    }

    /// True once in each second in which three quarters of the budget are spent.
    mutating func mustWarn() -> Bool {
        guard !hasWarned, limit > 3, spent >= limit &- limit >> 2 else { return false }
        hasWarned = true
        return true
    }
}
