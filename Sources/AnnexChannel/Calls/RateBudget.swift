internal import AnnexLinux

/// So many of something within a second, counted in whole seconds from the first.
struct RateBudget: Sendable {
    let limit: UInt32
    private(set) var spent: UInt32 = 0
    private var windowEnds: UInt64 = 0
    private var hasWarned = false

    init(limit: UInt32) {
        self.limit = limit
    }

    /// Spends some at the moment `now` of `MonotonicClock`.
    /// - Returns: whether it was still within the budget.
    mutating func spend(_ amount: UInt32 = 1, at now: UInt64) -> Bool {
        if now >= windowEnds {
            windowEnds = now &+ 1_000_000_000
            spent = 0
            hasWarned = false
        }
        guard amount <= limit &- spent else { return false }
        spent &+= amount
        return true
    }

    /// True once in each second in which three quarters of the budget are spent.
    mutating func mustWarn() -> Bool {
        guard !hasWarned, limit > 3, spent >= limit &- limit / 4 else { return false }
        hasWarned = true
        return true
    }
}
