internal import AnnexLaunch

/// The TCP ports at which processes listen, as the kernel's tables of a network list them.
enum ListeningPorts {
    /// The ports in this process's own network.
    static func ofThisMachine() -> [UInt16] { listed(in: "/proc/self/net") }

    /// The ports in the network of another process.
    static func ofProcess(_ number: Int32) -> [UInt16] { listed(in: "/proc/\(number)/net") }

    private static func listed(in folder: String) -> [UInt16] {
        let found = ["tcp", "tcp6"].flatMap { ports(inTable: TextFile.read("\(folder)/\($0)") ?? "") }
        return Set(found).sorted()
    }

    /// The ports of a table in the form of `/proc/net/tcp`. The first line has the titles. In each other line, the second
    /// word is the own address with its port, and the fourth the state, all in hexadecimal digits.
    private static func ports(inTable text: String) -> [UInt16] {
        TextFile.lines(of: text).dropFirst().compactMap { line in
            let words = line.split(separator: " ")
            guard words.count > 3, words[3] == "0A", let port = words[1].split(separator: ":").last else { return nil }
            return UInt16(port, radix: 16)
        }
    }
}
