/// Socket addresses in the form that the kernel reads.
enum TrialAddress {
    /// An `AF_UNIX` address: a path, or a NUL and an abstract name.
    static func unix(_ name: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(word: UInt16(1))
        return bytes + name + (name.first == 0 ? [] : [0])
    }

    /// An `AF_INET` address: address and port in network byte order.
    static func internet(_ address: [UInt8], port: UInt16) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(word: UInt16(2))
        bytes.append(word: port.bigEndian)
        return bytes + address + [UInt8](repeating: 0, count: 8)
    }
}
