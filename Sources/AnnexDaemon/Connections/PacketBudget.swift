/// So many packets within a second. Pure: moments come with what is spent.
struct PacketBudget: Sendable {
    private let limit: Int
    private var left: Int
    private var windowEnds: UInt64 = 0

    init(_ limit: Int) {
        self.limit = limit
        left = limit
    }

    /// - Parameter now: nanoseconds of a clock that only goes forward.
    /// - Returns: whether there was one left.
    mutating func spend(at now: UInt64) -> Bool {
        if now >= windowEnds {
            windowEnds = now &+ 1_000_000_000
            left = limit
        }
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}
