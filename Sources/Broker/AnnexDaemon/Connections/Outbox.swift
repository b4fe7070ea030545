/// Packets for which a connection's socket has no room yet, in order. Reads no clock: the caller passes the moments.
struct Outbox: Sendable {
    private var packets: [[UInt8]] = []
    private(set) var bytes = 0
    /// Since when nothing could be sent; nil if the last attempt succeeded.
    private var stuckSince: UInt64?

    var count: Int { packets.count }
    var isEmpty: Bool { packets.isEmpty }
    var first: [UInt8]? { packets.first }

    mutating func append(_ packet: [UInt8]) {
        packets.append(packet)
        bytes += packet.count
    }

    /// Removes the first packet, which was sent.
    mutating func removeFirst() {
        bytes -= packets.removeFirst().count
        stuckSince = nil
    }

    /// Records that the first packet could not be sent.
    mutating func isStuck(at now: UInt64) {
        stuckSince = stuckSince ?? now
    }

    /// - Returns: whether nothing could be sent for longer than `limit` nanoseconds.
    func isStuck(at now: UInt64, longerThan limit: UInt64) -> Bool {
        stuckSince.map { now &- $0 > limit } ?? false
    }

    mutating func clear() {
        self = Outbox()
    }
}
