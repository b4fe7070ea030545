/// The calls that an extension has made and that have no answer yet. Taking one out is what allows its answer to be
/// sent: so each is answered at most once. One that the extension has given up counts all the same until then, since
/// whoever works on it does not stop by that.
struct HostedCalls: Sendable {
    private var open: Set<UInt64> = []
    /// Those of them that nobody waits for any more.
    private var cancelled: Set<UInt64> = []
    private var last: UInt64 = 0
    private var isClosed = false

    var count: Int { open.count }

    func isAwaited(_ call: UInt64) -> Bool { open.contains(call) && !cancelled.contains(call) }

    /// Takes a new call's number, which must be the one after the last.
    mutating func accept(_ call: UInt64) -> Bool {
        guard call == last &+ 1 else { return false }
        last = call
        return true
    }

    mutating func insert(_ call: UInt64) {
        if !isClosed { open.insert(call) }
    }

    /// - Returns: whether somebody waits for its answer.
    mutating func takeOut(_ call: UInt64) -> Bool {
        let isAwaited = cancelled.remove(call) == nil
        return open.remove(call) != nil && isAwaited
    }

    /// - Returns: whether the call was ever made.
    mutating func cancel(_ call: UInt64) -> Bool {
        if open.contains(call) { cancelled.insert(call) }
        return call > 0 && call <= last
    }

    mutating func close() {
        isClosed = true
        open = []
        cancelled = []
    }
}
