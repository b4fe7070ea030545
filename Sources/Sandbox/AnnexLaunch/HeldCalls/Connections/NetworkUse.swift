internal import AnnexLinux
internal import AnnexNames
internal import AnnexPolicy
internal import Glibc

/// What a recorded call says about the network that a trusted program uses. Addresses and bytes are read from the
/// memory of the calling process, so they are for the recording only.
struct NetworkUse {
    /// How the call uses the address that it names; nil for a call without an address, or with an address of another
    /// family.
    let address: Recording.AddressUse?
    /// The names in a question to a name server that the call sends.
    let questions: [HostName]

    var isEmpty: Bool { address == nil && questions.isEmpty }

    init(of call: HeldCall, on listener: borrowing Descriptor) {
        let name = SystemCall(number: call.number)?.name
        address = Self.address(of: call, named: name, on: listener)
        questions = Self.messages(of: call, named: name).compactMap { try? NameQuery($0).name }
    }

    // MARK: - Addresses

    /// The port of name servers.
    private static let resolver: UInt16 = 53

    private static func address(
        of call: HeldCall, named name: String?, on listener: borrowing Descriptor
    ) -> Recording.AddressUse? {
        guard let place = place(of: call, named: name), place.pointer != 0,
            (2...UInt64(InternetAddress.longest)).contains(place.size & 0xFFFF_FFFF),
            let bytes = call.memory(at: place.pointer, count: Int(place.size & 0xFFFF_FFFF)),
            let address = InternetAddress(bytes)
        else { return nil }
        if name == "bind" { return address.isLoopback ? .bound : .beyond }
        if address.port == resolver { return .asked }
        guard name == "connect" else { return address.isLoopback ? .loopback : .beyond }
        // Libraries connect sockets of datagrams to see which of their own addresses leads to another.
        guard isTCP(call, on: listener) else { return address.isLoopback ? .loopback : nil }
        if address.isLoopback { return .loopback }
        let text = HostAddress.text(of: HostAddress.plain(address.host), isBracketed: true)
        return (try? HostRule("\(text):\(address.port)")).map { .connected($0) } ?? .beyond
    }

    private static func isTCP(_ call: HeldCall, on listener: borrowing Descriptor) -> Bool {
        guard let socket = try? ConnectCall.socket(of: call, on: listener) else { return true }
        return (try? ConnectCall.kind(of: socket).isTCP) ?? true
    }

    private static func place(of call: HeldCall, named name: String?) -> (pointer: UInt64, size: UInt64)? {
        switch name {
        case "connect", "bind": (call.arguments[1], call.arguments[2])
        case "sendto": (call.arguments[4], call.arguments[5])
        case "sendmsg": header(at: call.arguments[1], of: call).map { ($0.name, $0.nameSize) }
        default: nil
        }
    }

    // MARK: - Questions

    /// The most bytes of a question, and the most messages of one call that are read.
    private static let (longest, mostMessages) = (512, 8)

    /// The messages that a call sends. Only messages of one piece that can be a question are read.
    private static func messages(of call: HeldCall, named name: String?) -> [[UInt8]] {
        switch name {
        case "sendto", "write":
            return [message(at: call.arguments[1], size: call.arguments[2], of: call)].compactMap { $0 }
        case "sendmsg": return [call.arguments[1]].compactMap { piece(of: $0, call) }
        case "sendmmsg":
            let count = min(Int(clamping: call.arguments[2]), mostMessages)
            return (0..<count).compactMap { piece(of: call.arguments[1] &+ UInt64($0 * 64), call) }
        default: return []
        }
    }

    private static func message(at pointer: UInt64, size: UInt64, of call: HeldCall) -> [UInt8]? {
        guard size > 16, size <= UInt64(longest) else { return nil }
        return call.memory(at: pointer, count: Int(size))
    }

    private static func piece(of header: UInt64, _ call: HeldCall) -> [UInt8]? {
        guard let header = Self.header(at: header, of: call), header.pieces == 1,
            let bytes = call.memory(at: header.piece, count: 16), bytes.count == 16,
            let pointer = LittleEndian(bytes).number(UInt64.self, at: 0),
            let size = LittleEndian(bytes).number(UInt64.self, at: 8)
        else { return nil }
        return message(at: pointer, size: size, of: call)
    }

    /// The fields of a `struct msghdr`: `msg_name`, `msg_namelen`, `msg_iov` and `msg_iovlen`.
    private static func header(
        at pointer: UInt64, of call: HeldCall
    ) -> (name: UInt64, nameSize: UInt64, piece: UInt64, pieces: UInt64)? {
        guard let bytes = call.memory(at: pointer, count: 32), bytes.count == 32 else { return nil }
        let numbers = LittleEndian(bytes)
        guard let name = numbers.number(UInt64.self, at: 0), let size = numbers.number(UInt32.self, at: 8),
            let piece = numbers.number(UInt64.self, at: 16), let pieces = numbers.number(UInt64.self, at: 24)
        else { return nil }
        return (name, UInt64(size), piece, pieces)
    }
}
