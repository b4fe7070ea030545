/// A frame as one packet of the socket transport: kind u8, number of descriptors u8 (always 0), method u16, length u32,
/// call u64, then as many bytes; numbers least significant first. A request's bytes begin with its terms.
enum SocketPacket {
    static let headerSize = 16

    static func bytes(_ frame: Frame) -> [UInt8] {
        var body = frame.payload
        if frame.kind == .request {
            // Whatever the host would take over rings, nothing can be handed over in a packet.
            body = WireBytes.bytes(frame.terms.limit) + [UInt8](repeating: 0, count: 16) + body
        }
        return [frame.kind.rawValue, 0] + WireBytes.bytes(frame.method) + WireBytes.bytes(UInt32(body.count))
            + WireBytes.bytes(frame.call) + body
    }

    /// A packet that an extension sent: what it says of itself is checked here, what it means by the host's end.
    static func read(_ packet: [UInt8]) throws(ChannelViolation) -> (header: FrameHeader, payload: [UInt8]) {
        guard let kind = packet.first, let second = packet.dropFirst().first,
            let method = WireBytes.number(packet, at: 2, as: UInt16.self),
            let length = WireBytes.number(packet, at: 4, as: UInt32.self),
            let call = WireBytes.number(packet, at: 8, as: UInt64.self), second == 0
        else { throw .malformed(kind: packet.first ?? 0, length: packet.count) }
        guard let known = FrameKind(rawValue: kind) else { throw .unknownKind(kind) }
        let payload = Array(packet.dropFirst(headerSize))
        guard payload.count == Int(exactly: length) else { throw .malformed(kind: kind, length: packet.count) }
        return (FrameHeader(kind: known, method: method, call: call), payload)
    }
}
