/// The calls that a leading thread makes for itself, without an entry in `CallTable`. At most one is open.
///
/// Their numbers form a series of their own, marked by the highest bit. So a raw call needs only the leader's lock.
struct RawCalls: Sendable {
    private static let mark: UInt64 = 1 << 63

    private var made: UInt64 = 0
    /// The last call whose answer was taken.
    private(set) var answered = RawCalls.mark
    /// How many calls this side gave up; each may still be answered once.
    private var forgone: UInt64 = 0

    /// Returns the next call's number. It is one more than the last call's number if and only if this side took that
    /// call's answer. The extension learns from this that its answer was taken.
    mutating func open() -> UInt64 {
        made &+= answered == RawCalls.mark | made ? 1 : 2
        return RawCalls.mark | made
    }

    /// Records that the answer to a call was taken.
    @inline(__always) mutating func recordAnswer(to id: UInt64) {
        answered = id
    }

    mutating func forgo() {
        forgone &+= 1
    }

    static func isRaw(_ id: UInt64) -> Bool {
        id & mark != 0
    }

    func wasMade(_ id: UInt64) -> Bool {
        let number = id & ~RawCalls.mark
        return Self.isRaw(id) && number > 0 && number <= made
    }

    /// Whether a late answer belongs to a call that this side gave up. Each call that was given up explains one late
    /// answer.
    mutating func expectsLateAnswer() -> Bool {
        guard forgone > 0 else { return false }
        forgone &-= 1
        return true
    }
}
