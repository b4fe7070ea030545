import AnnexLinux
import Glibc

@testable import AnnexChannel

/// The extension of the conformance tests, written only from `Docs/Reference/Wire.md`. From the library, it uses only
/// the socket.
final class PacketPeer: Sendable {
    private let socket: Descriptor

    init(_ socket: consuming Descriptor) {
        self.socket = socket
    }

    func send(_ bytes: [UInt8]) {
        _ = Glibc.send(socket.number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    func sendHello() {
        send(packet(1, WireBytes.bytes(UInt32(0x4358_4E41)) + WireBytes.bytes(UInt32(2)) + WireBytes.bytes(UInt64(9))))
    }

    func packet(_ kind: UInt8, _ payload: [UInt8], method: UInt16 = 0, call: UInt64 = 0) -> [UInt8] {
        [kind, 0] + WireBytes.bytes(method) + WireBytes.bytes(UInt32(payload.count)) + WireBytes.bytes(call) + payload
    }

    func receive() -> [UInt8]? {
        var room = [UInt8](repeating: 0, count: 1 << 17)
        let count = recv(socket.number, &room, room.count, 0)
        return count > 0 ? Array(room.prefix(count)) : nil
    }

    func serve() {
        sendHello()
        while let packet = receive() {
            let method = WireBytes.number(packet, at: 2, as: UInt16.self) ?? 0
            let call = WireBytes.number(packet, at: 8, as: UInt64.self) ?? 0
            let payload = Array(packet.dropFirst(16))
            switch (packet[0], method) {
            case (2, 1): send(self.packet(3, Array(payload.dropFirst(24)), method: 1, call: call))
            case (2, 2): send(self.packet(4, [7, 0, 0, 0] + Array("no".utf8), method: 2, call: call))
            case (2, _): send(self.packet(4, [0xFE, 0xFF, 0xFF, 0xFF], method: method, call: call))
            case (6, 2): return
            case (6, 4): send(self.packet(6, payload, method: 5))
            case (7, _): send(self.packet(8, [], method: method, call: call))
            default: break
            }
        }
    }
}
