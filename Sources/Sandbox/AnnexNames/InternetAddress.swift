/// An address and a port of IPv4 or IPv6, copied from the memory of a program that wants to connect to the address.
package struct InternetAddress: Sendable, Hashable {
    /// The address in the kernel's form: `sockaddr_in` or `sockaddr_in6`.
    package let bytes: [UInt8]
    /// The 4 or 16 bytes of the address.
    package let host: [UInt8]
    package let port: UInt16

    /// The most bytes of an address that are read from the memory of a program.
    package static let longest = 128
    /// `AF_INET` and `AF_INET6`, with the shortest and the full length of an address of the family.
    private static let (four, six) = ((family: UInt16(2), least: 16), (family: UInt16(10), least: 24, whole: 28))

    /// Reads an address as the kernel would.
    ///
    /// - Returns: nil if the bytes are too short or belong to another address family.
    package init?(_ given: [UInt8]) {
        guard given.count >= Self.four.least else { return nil }
        let family = UInt16(given[1]) << 8 | UInt16(given[0])
        port = UInt16(given[2]) << 8 | UInt16(given[3])
        switch family {
        case Self.four.family:
            bytes = Array(given.prefix(Self.four.least))
            host = Array(given[4..<8])
        case Self.six.family where given.count >= Self.six.least:
            let whole = Array(given.prefix(Self.six.whole))
            bytes = whole + [UInt8](repeating: 0, count: Self.six.whole - whole.count)
            host = Array(given[8..<24])
        default: return nil
        }
    }

    /// The address of a host, with a port.
    package init(host: [UInt8], port: UInt16) {
        self.host = host
        self.port = port
        let place = [UInt8(port >> 8), UInt8(port & 0xFF)]
        bytes =
            host.count == 4
            ? [2, 0] + place + host + [UInt8](repeating: 0, count: 8)
            : [10, 0] + place + [0, 0, 0, 0] + host + [0, 0, 0, 0]
    }

    /// The address of another host with the same port, for the same kind of socket. A socket of IPv6 names an IPv4 host
    /// by the IPv6 form of its address.
    package func replacingHost(_ other: [UInt8]) -> InternetAddress {
        let isMapped = host.count == 16 && other.count == 4
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + other
        return InternetAddress(host: isMapped ? mapped : other, port: port)
    }
}

extension InternetAddress {
    /// The IPv4 address that an IPv6 address stands for: mapped (`::ffff:…`), translated (NAT64) or tunnelled (6to4).
    /// nil for any other address.
    package var embedded: InternetAddress? {
        guard host.count == 16 else { return nil }
        let isMapped = host.prefix(10).allSatisfy { $0 == 0 } && host[10] == 0xFF && host[11] == 0xFF
        let isTranslated = host.starts(with: [0, 0x64, 0xFF, 0x9B] as [UInt8])
        if isMapped || isTranslated { return InternetAddress(host: Array(host[12..<16]), port: port) }
        return host[0] == 0x20 && host[1] == 0x02 ? InternetAddress(host: Array(host[2..<6]), port: port) : nil
    }

    /// For example `192.0.2.1:80` or `[2001:db8:0:0:0:0:0:1]:80`.
    package var text: String {
        if host.count == 4 { return host.map { "\($0)" }.joined(separator: ".") + ":\(port)" }
        let groups = stride(from: 0, to: 16, by: 2).map {
            String(UInt16(host[$0]) << 8 | UInt16(host[$0 + 1]), radix: 16)
        }
        return "[" + groups.joined(separator: ":") + "]:\(port)"
    }
}

extension InternetAddress {
    /// The reason why no program may connect to an address.
    package enum Barrier: String, Sendable, Hashable, CaseIterable {
        case machine = "the address belongs to this machine"
        case link =
            "addresses of the local link reach the machine's own surroundings, such as a cloud's metadata service"
        case many = "the address names no single machine"
    }

    /// The barrier that follows from the address alone, whatever addresses this machine has; nil if there is no such
    /// barrier.
    package var barrier: Barrier? {
        if let embedded, let barrier = embedded.barrier { return barrier }
        return host.count == 4 ? barrierOfFour : barrierOfSix
    }

    private var barrierOfFour: Barrier? {
        // The kernel takes 0.0.0.0 for this machine.
        if host[0] == 0 || host[0] == 127 { return .machine }
        if host[0] == 169, host[1] == 254 { return .link }
        // Some clouds do not use the local link for their metadata services. These are the addresses of such
        // services.
        if [[100, 100, 100, 200], [192, 0, 0, 192], [168, 63, 129, 16]].contains(host) { return .link }
        return host[0] >= 224 ? .many : nil
    }

    private var barrierOfSix: Barrier? {
        // `::` and `::1`, and the retired IPv6 form of IPv4 addresses.
        if host.prefix(12).allSatisfy({ $0 == 0 }) { return .machine }
        if host[0] == 0xFE, host[1] & 0xC0 == 0x80 { return .link }
        if host.starts(with: [0xFD, 0, 0x0E, 0xC2] as [UInt8]) { return .link }
        return host[0] == 0xFF ? .many : nil
    }
}

extension InternetAddress {
    /// Whether this is an address that a sandbox has if its only network interface is loopback. The address that
    /// stands for all addresses (`0.0.0.0` or `::`) counts too.
    package var isLoopback: Bool {
        if let embedded { return embedded.isLoopback }
        return host.count == 4
            ? host[0] == 127 || host == [0, 0, 0, 0] : host.dropLast().allSatisfy { $0 == 0 } && host[15] <= 1
    }
}
