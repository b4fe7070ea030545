internal import AnnexLinux

/// A limit on how often something may happen in a second. A new second begins with the first use after the previous
/// second has ended.
struct RateBudget: Sendable {
    let limit: UInt32
    private let period: UInt64
    private(set) var spent: UInt32 = 0
    /// What was earned in this period in addition to the limit.
    private var earned: UInt32 = 0
    private var windowEnds: UInt64 = 0
    private var hasWarned = false

    /// - Parameter period: the length of a "second".
    init(limit: UInt32, period: Duration = .seconds(1)) {
        self.limit = limit
        self.period = MonotonicClock.nanoseconds(period)
    }

    /// Spends an amount at the moment `now` of `MonotonicClock`.
    /// - Returns: whether the budget sufficed; nothing is spent otherwise.
    mutating func spend(_ amount: UInt32 = 1, at now: UInt64) -> Bool {
        if now >= windowEnds {
            windowEnds = now &+ period
            spent = 0
            earned = 0
            hasWarned = false
        }
        guard amount <= allowed &- spent else { return false }
        spent &+= amount
        return true
    }

    /// How much may be spent in this period.
    var allowed: UInt32 {
        let (sum, overflow) = limit.addingReportingOverflow(earned)
        return overflow ? .max : sum
    }

    /// Raises what may be spent until the next period begins. A period begins with the first spending after the last
    /// period. So what was earned long ago is lost.
    @inline(__always) mutating func earn(_ amount: UInt32) {
        let (sum, overflow) = earned.addingReportingOverflow(amount)
        earned = overflow ? .max : sum
    }

    /// Whether at least three quarters of the budget are spent. The result is true at most once in each second.
    mutating func mustWarn() -> Bool {
        guard !hasWarned, limit > 3, spent >= allowed &- allowed >> 2 else { return false }
        hasWarned = true
        return true
    }
}
