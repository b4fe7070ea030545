internal import AnnexNames
internal import AnnexPolicy

/// The name servers that the machine's administrator chose. Many systems run a name server on the machine itself. If a
/// program may connect to other machines, it may also connect to this name server.
enum Resolvers {
    private static let file = "/etc/resolv.conf"
    private static let port: UInt16 = 53
    /// The C library asks at most this many name servers.
    private static let most = 3

    /// Whether an address is the TCP port of one of these name servers.
    static func include(_ address: InternetAddress) -> Bool {
        guard address.port == port, let text = TextFile.read(file) else { return false }
        let host = address.host.count == 16 ? address.embedded?.host ?? address.host : address.host
        return hosts(in: text).contains(host)
    }

    /// The addresses of name servers in the text of `resolv.conf`, of 4 or 16 bytes each. Other lines are skipped.
    static func hosts(in text: String) -> [[UInt8]] {
        var hosts: [[UInt8]] = []
        for line in text.utf8.prefix(1 << 16).split(separator: UInt8(ascii: "\n")) where hosts.count < most {
            let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            guard words.count >= 2, words[0].elementsEqual("nameserver".utf8) else { continue }
            if let host = HostAddress.bytes(of: String(decoding: words[1], as: UTF8.self)) { hosts.append(host) }
        }
        return hosts
    }
}
