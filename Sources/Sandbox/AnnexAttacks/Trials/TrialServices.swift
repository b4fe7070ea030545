internal import AnnexLinux
internal import Glibc

/// Services of the host that a sandbox must not reach: sockets of several kinds, and shared memory with a key.
final class TrialServices: Sendable {
    /// The file name of the socket in the folder.
    static let name = "service"
    let path: String
    /// The name of the abstract socket, without its leading NUL.
    let abstractName: String
    let streamPort: UInt16
    let datagramPort: UInt16
    /// The key of a shared memory segment that every user may attach.
    let segmentKey: Int32
    /// The key of a segment that a trial tries to leave behind.
    let leftoverKey: Int32
    private let segment: Int32
    private let sockets: DescriptorList
    private let datagrams: Int32
    private let streams: [Int32]

    init(in folder: String) throws(TrialFailure) {
        path = folder + "/" + Self.name
        let name = "annex-trial-\(UInt64.random(in: .min ... .max))"
        abstractName = name
        segmentKey = Int32.random(in: 1 ... .max)
        leftoverKey = Int32.random(in: 1 ... .max)
        segment = shmget(segmentKey, 4096, IPC_CREAT | 0o666)
        var list = DescriptorList()
        let service = path
        (streamPort, datagramPort, datagrams) = try TrialSandbox.system { () throws(SystemError) in
            list.append(try Self.listen(unix: Array(service.utf8)))
            _ = unsafe chmod(service, 0o666)
            list.append(try Self.listen(unix: [0] + Array(name.utf8)))
            let stream = try Self.bound(SOCK_STREAM)
            _ = Glibc.listen(stream.number, 8)
            let datagram = try Self.bound(SOCK_DGRAM)
            let ports = (Self.port(of: stream), Self.port(of: datagram), datagram.number)
            list.append(stream)
            list.append(datagram)
            return ports
        }
        streams = Array(list.numbers.prefix(3))
        sockets = list
    }

    deinit {
        if segment >= 0 { _ = shmctl(segment, IPC_RMID, nil) }
    }

    /// Closes all accepted connections, so that the queue has room for the next trial.
    func hangUp() {
        for stream in streams {
            while case let guest = accept(stream, nil, nil), guest >= 0 {
                _ = close(guest)
            }
        }
    }

    /// Whether a datagram has arrived since the last call.
    func hasDatagram() -> Bool {
        var byte: UInt8 = 0
        var arrived = false
        // SAFETY: the call writes at most one byte.
        while unsafe recv(datagrams, &byte, 1, Int32(MSG_DONTWAIT)) >= 0 { arrived = true }
        return arrived
    }

    private static func socket(_ domain: Int32, kind: __socket_type) throws(SystemError) -> Descriptor {
        let number = Glibc.socket(
            domain, Int32(kind.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard number >= 0 else { throw SystemError("socket", errno: errno) }
        return Descriptor(owning: number)
    }

    private static func listen(unix name: [UInt8]) throws(SystemError) -> Descriptor {
        let socket = try socket(AF_UNIX, kind: SOCK_STREAM)
        try bind(socket, to: TrialAddress.unix(name))
        guard Glibc.listen(socket.number, 8) == 0 else { throw SystemError("listen", errno: errno) }
        return socket
    }

    private static func bound(_ kind: __socket_type) throws(SystemError) -> Descriptor {
        let socket = try socket(AF_INET, kind: kind)
        try bind(socket, to: TrialAddress.internet([127, 0, 0, 1], port: 0))
        return socket
    }

    private static func bind(_ socket: borrowing Descriptor, to address: [UInt8]) throws(SystemError) {
        let status = unsafe address.withUnsafeBytes { bytes in
            // SAFETY: the bytes hold one socket address, and the call gets their exact number. The call copies them.
            unsafe Glibc.bind(
                socket.number, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        guard status == 0 else { throw SystemError("bind", errno: errno) }
    }

    private static func port(of socket: borrowing Descriptor) -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            // SAFETY: the call writes at most `size` bytes into the struct.
            unsafe getsockname(socket.number, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
        }
        return status == 0 ? UInt16(bigEndian: address.sin_port) : 0
    }
}

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

    /// An `AF_INET6` address that stands for an IPv4 address.
    static func mapped(_ address: [UInt8], port: UInt16) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(word: UInt16(10))
        bytes.append(word: port.bigEndian)
        return bytes + [UInt8](repeating: 0, count: 14) + [0xFF, 0xFF] + address + [UInt8](repeating: 0, count: 4)
    }
}
