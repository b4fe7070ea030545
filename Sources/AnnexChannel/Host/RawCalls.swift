/// The calls that a leading thread makes for itself, without an entry in `CallTable`: at most one is open.
///
/// They are numbered by themselves, with the highest bit set, so that no lock but the leader's own is needed.
struct RawCalls: Sendable {
    private static let mark: UInt64 = 1 << 63

    private var made: UInt64 = 0
    /// Calls that this side gave up, each of which may still be answered once.
    private var forgone: UInt64 = 0

    mutating func open() -> UInt64 {
        made &+= 1
        return RawCalls.mark | made
    }

    mutating func forgo() {
        forgone &+= 1
    }

    static func isRaw(_ id: UInt64) -> Bool {
        id & mark != 0
    }

    func wasMade(_ id: UInt64) -> Bool {
        let number = id & ~RawCalls.mark
        return number > 0 && number <= made
    }

    /// Whether a late answer is one that had to be expected.
    mutating func expectsLateAnswer() -> Bool {
        guard forgone > 0 else { return false }
        forgone &-= 1
        return true
    }
}
