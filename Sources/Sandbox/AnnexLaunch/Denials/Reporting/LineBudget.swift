/// Limits the lines of a log: a burst first, then a number of lines per second. Suppressed lines are counted.
struct LineBudget {
    static let atOnce: UInt64 = 20
    static let perSecond: UInt64 = 5
    private static let second: UInt64 = 1_000_000_000

    private var lines = Self.atOnce
    private var filled: UInt64
    private(set) var suppressed = 0

    init(at moment: UInt64) {
        filled = moment
    }

    /// Whether a line may be written now.
    mutating func take(at moment: UInt64) -> Bool {
        let step = Self.second / Self.perSecond
        let earned = moment > filled ? (moment - filled) / step : 0
        if earned > 0 {
            lines = min(Self.atOnce, lines + min(earned, Self.atOnce))
            filled += earned * step
        }
        guard lines > 0 else {
            suppressed += 1
            return false
        }
        lines -= 1
        return true
    }

    /// The number of lines suppressed since the last call.
    mutating func takeSuppressed() -> Int {
        defer { suppressed = 0 }
        return suppressed
    }
}
