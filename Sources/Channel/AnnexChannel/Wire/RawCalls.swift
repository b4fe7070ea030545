/// The calls that a leading thread makes for itself, without an entry in `CallTable`: at most one is open.
///
/// They are numbered by themselves, with the highest bit set, so that no lock but the leader's own is needed.
struct RawCalls: Sendable {
    private static let mark: UInt64 = 1 << 63

    private var made: UInt64 = 0
    /// The last call whose answer was taken.
    private(set) var answered = RawCalls.mark
    /// Calls that this side gave up, each of which may still be answered once.
    private var forgone: UInt64 = 0

    /// The next call's number: one above the last one's, if and only if that one's answer was taken. By this an extension
    /// knows that it was.
    mutating func open() -> UInt64 {
        made &+= answered == RawCalls.mark | made ? 1 : 2
        return RawCalls.mark | made
    }

    /// The answer to a call was taken.
    @inline(__always) mutating func take(_ id: UInt64) {
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
        return number > 0 && number <= made
    }

    /// Whether a late answer is one that had to be expected.
    mutating func expectsLateAnswer() -> Bool {
        guard forgone > 0 else { return false }
        forgone &-= 1
        return true
    }
}
