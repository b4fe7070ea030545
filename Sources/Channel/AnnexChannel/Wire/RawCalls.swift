/// The calls that a leading thread makes for itself, without an entry in `CallTable`. At most one raw call is open at a
/// time.
///
/// Raw calls have a separate series of numbers, in which the highest bit is set. So a raw call needs only the leader's
/// lock.
struct RawCalls: Sendable {
    private static let mark: UInt64 = 1 << 63

    private var made: UInt64 = 0
    /// The last call whose answer was taken.
    private(set) var answered = RawCalls.mark
    /// How many late answers may still arrive: at most one for each call that this side gave up.
    private var forgone: UInt64 = 0

    /// Returns the next call's number. If this side took the last call's answer, the number is one more than the last
    /// call's number. Otherwise, the number is two more. So a number that is one more tells the extension that this
    /// side took the last answer.
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

    /// Whether a late answer is expected, because this side gave up a call. If so, the count of expected late answers
    /// decreases by one.
    mutating func expectsLateAnswer() -> Bool {
        guard forgone > 0 else { return false }
        forgone &-= 1
        return true
    }
}
