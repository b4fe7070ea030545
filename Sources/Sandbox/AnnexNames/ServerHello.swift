/// The first message of a TLS server (RFC 8446), as far as it says whether the client has to call once more.
package enum ServerHello {
    /// The random bytes of a HelloRetryRequest.
    private static let retry: [UInt8] = [
        0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91, 0xC2, 0xA2,
        0x11,
        0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
    ]
    /// The bytes of a message until the end of its random bytes.
    private static let least = 38

    /// Whether the server asks the client for another ClientHello, which may name another machine.
    /// - Returns: nil if more bytes must arrive first.
    package static func asksAgain(_ bytes: [UInt8]) -> Bool? {
        guard let type = bytes.first else { return nil }
        guard type == 22 else { return false }
        guard bytes.count >= 5 else { return nil }
        // No server divides a message into such short records. If one does, the next message of the client is read too.
        if Int(bytes[3]) << 8 | Int(bytes[4]) < least { return true }
        guard bytes.count >= 5 + least else { return nil }
        return bytes[5] == 2 && bytes[11..<43].elementsEqual(retry)
    }
}
