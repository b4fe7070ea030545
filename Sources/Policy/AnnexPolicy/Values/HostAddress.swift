internal import Glibc

/// Functions on the address of a machine: the 4 bytes of an IPv4 address, or the 16 bytes of an IPv6 address.
package enum HostAddress {
    /// The bytes of an address in text, for example `192.0.2.1` or `2001:db8::1`; nil for any other text. An IPv4
    /// address in IPv6 form (`::ffff:192.0.2.1`) is an IPv4 address.
    package static func bytes(of text: String) -> [UInt8]? {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            // SAFETY: the call writes exactly the bytes of an address of this family.
            guard unsafe inet_pton(family, text, &bytes) == 1 else { continue }
            return plain(bytes)
        }
        return nil
    }

    /// An address as programs name it: an IPv4 address in IPv6 form has 4 bytes.
    package static func plain(_ bytes: [UInt8]) -> [UInt8] {
        let isMapped = bytes.count == 16 && bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF])
        return isMapped ? Array(bytes.suffix(4)) : bytes
    }

    /// The usual text of an address.
    /// - Parameter isBracketed: whether a port follows, so that an IPv6 address needs brackets.
    package static func text(of bytes: [UInt8], isBracketed: Bool = false) -> String {
        var room = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        // SAFETY: the call reads the bytes of an address of this family, and writes a text that fits into the room.
        guard bytes.count == 4 || bytes.count == 16,
            unsafe inet_ntop(family, bytes, &room, socklen_t(room.count)) != nil
        else { return "" }
        let text = String(decoding: room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return isBracketed && family == AF_INET6 ? "[\(text)]" : text
    }

    /// Whether the C library takes a name for an address of IPv4, which has several spellings.
    static func isNumber(_ name: String) -> Bool {
        var address = in_addr()
        // SAFETY: the call reads the text, and writes the structure.
        let isTaken = unsafe inet_aton(name, &address) != 0
        return isTaken || name.split(separator: ".").last?.utf8.allSatisfy { (0x30...0x39).contains($0) } ?? false
    }

    static let own = "in the sandbox this machine is the program's own; --allow-port gives a port of this machine"

    /// Why no rule may name an address; nil if a rule may.
    static func barrier(before bytes: [UInt8]) -> String? {
        let isOwn = bytes.count == 4 ? bytes[0] == 127 || bytes[0] == 0 : bytes.dropLast().allSatisfy { $0 == 0 }
        if isOwn {
            return own
        }
        let isShared = bytes.count == 4 ? bytes[0] >= 224 : bytes[0] == 0xFF
        return isShared ? "the address names no single machine" : nil
    }
}
