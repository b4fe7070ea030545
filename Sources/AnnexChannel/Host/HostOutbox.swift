/// Frames that nobody waits for being sent: answers, credit, resets. They go out as soon as there is room, and are
/// bounded by what may be open at once.
struct HostOutbox: ~Copyable, Sendable {
    private var frames: [UInt64: OutgoingFrame.Copy] = [:]
    private var first: UInt64 = 0
    private var last: UInt64 = 0
    /// Whether a timer looks again; there is none while nothing waits.
    var isLookedAfter = false

    var isEmpty: Bool { first == last }
    var count: Int { frames.count }

    mutating func append(_ frame: OutgoingFrame.Copy) {
        frames[last] = frame
        last &+= 1
    }

    var next: OutgoingFrame.Copy? { frames[first] }

    mutating func removeNext() {
        guard frames.removeValue(forKey: first) != nil else { return }
        first &+= 1
    }

    mutating func removeAll() {
        frames = [:]
        first = last
    }
}
