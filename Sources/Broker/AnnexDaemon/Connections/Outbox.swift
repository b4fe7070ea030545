/// Packets that a connection has not read yet, in order. Pure: moments come with what happens.
struct Outbox: Sendable {
    private var packets: [[UInt8]] = []
    private(set) var bytes = 0
    /// Since when nothing of it could be sent.
    private var stuckSince: UInt64?

    var count: Int { packets.count }
    var isEmpty: Bool { packets.isEmpty }
    var first: [UInt8]? { packets.first }

    mutating func append(_ packet: [UInt8]) {
        packets.append(packet)
        bytes += packet.count
    }

    /// The first was sent.
    mutating func removeFirst() {
        bytes -= packets.removeFirst().count
        stuckSince = nil
    }

    /// The first could not be sent.
    mutating func isStuck(at now: UInt64) {
        stuckSince = stuckSince ?? now
    }

    /// - Returns: whether nothing could be sent for longer than so many nanoseconds.
    func isStuck(at now: UInt64, longerThan limit: UInt64) -> Bool {
        stuckSince.map { now &- $0 > limit } ?? false
    }

    mutating func clear() {
        self = Outbox()
    }
}
