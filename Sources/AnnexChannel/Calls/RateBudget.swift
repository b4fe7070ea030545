internal import AnnexLinux

/// So many of something within a second, counted in whole seconds from the first.
struct RateBudget: Sendable {
    let limit: UInt32
    private var spent: UInt32 = 0
    private var windowEnds: UInt64 = 0

    init(limit: UInt32) {
        self.limit = limit
    }

    /// Spends one at the moment `now` of `MonotonicClock`.
    /// - Returns: whether it was still within the budget.
    mutating func spend(at now: UInt64) -> Bool {
        if now >= windowEnds {
            windowEnds = now &+ 1_000_000_000
            spent = 0
        }
        guard spent < limit else { return false }
        spent &+= 1
        return true
    }
}
