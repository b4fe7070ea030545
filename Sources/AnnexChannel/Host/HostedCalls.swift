/// The calls that an extension has made and that have no answer yet. Taking one out is what allows its answer to be
/// sent: so each is answered at most once.
struct HostedCalls: Sendable {
    private var open: Set<UInt64> = []
    private var last: UInt64 = 0
    private var isClosed = false

    var count: Int { open.count }

    func isOpen(_ call: UInt64) -> Bool { open.contains(call) }

    /// Takes a new call's number, which must be the one after the last.
    mutating func accept(_ call: UInt64) -> Bool {
        guard call == last &+ 1 else { return false }
        last = call
        return true
    }

    mutating func insert(_ call: UInt64) {
        if !isClosed { open.insert(call) }
    }

    /// - Returns: whether it was open.
    mutating func takeOut(_ call: UInt64) -> Bool {
        open.remove(call) != nil
    }

    func wasMade(_ call: UInt64) -> Bool {
        call > 0 && call <= last
    }

    mutating func close() {
        isClosed = true
        open = []
    }
}
