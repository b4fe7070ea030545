/// How often something may happen: some times at once, and then some times in each second.
package struct TokenBucket: Sendable {
    private let most: UInt64
    /// The nanoseconds in which one more time is earned.
    private let step: UInt64
    private var left: UInt64
    private var filled: UInt64 = 0

    package init(atOnce: UInt64, perSecond: UInt64) {
        most = atOnce
        left = atOnce
        step = 1_000_000_000 / max(perSecond, 1)
    }

    /// Whether it may happen now.
    /// - Parameter moment: a time of `MonotonicClock`, not before that of the last call.
    package mutating func acquire(at moment: UInt64) -> Bool {
        let earned = moment > filled ? (moment - filled) / step : 0
        if earned > 0 {
            left = min(most, left + min(earned, most))
            filled += earned * step
        }
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}
