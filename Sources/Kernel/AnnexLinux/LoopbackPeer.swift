internal import Glibc

/// The other end of a TCP connection within this machine.
package enum LoopbackPeer {
    /// Tables of a busy machine are longer, and a connection is new when this is asked, so it is found in the first part or not at all.
    private static let mostBytes = 16 << 20

    /// The user whose process opened a connection from one port of 127.0.0.1 to another.
    /// - Parameters:
    ///   - port: the one of the other end.
    ///   - target: the one of this process.
    /// - Returns: nil if there is no such connection.
    package static func user(from port: UInt16, to target: UInt16) throws(SystemError) -> UInt32? {
        let table = try Descriptor.open("/proc/net/tcp", O_RDONLY).readAll(atMost: mostBytes)
        return user(from: port, to: target, in: String(decoding: table, as: UTF8.self))
    }

    /// Lines such as `0: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000 1000 …`: place, own address, other
    /// address, state, queues, timer, retries and user.
    static func user(from port: UInt16, to target: UInt16, in table: String) -> UInt32? {
        let (own, other) = (address(port), address(target))
        for line in table.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: " ")
            if fields.count > 7, fields[1] == own, fields[2] == other { return UInt32(fields[7]) }
        }
        return nil
    }

    /// The kernel writes the address as a number in the machine's byte order.
    private static func address(_ port: UInt16) -> String {
        "\(hexadecimal(UInt32(bigEndian: 0x7F00_0001), digits: 8)):\(hexadecimal(UInt32(port), digits: 4))"
    }

    private static func hexadecimal(_ number: UInt32, digits: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: digits - text.count) + text
    }
}
