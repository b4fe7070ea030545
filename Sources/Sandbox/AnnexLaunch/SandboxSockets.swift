package import AnnexLinux
internal import Glibc

/// Sockets of one kind that the child of a launch makes in the sandbox's own network, for the broker.
package struct SandboxSocket: Sendable, Hashable {
    /// `AF_INET` or `AF_INET6`.
    package let family: Int32
    /// `SOCK_STREAM` for TCP, or `SOCK_DGRAM` for UDP.
    let type: Int32
    /// The port at which the socket listens, at the loopback address; 0 for sockets that connect.
    package let port: UInt16
    let count: Int
    /// Whether the sandbox does without the sockets if the kernel lacks the family or its loopback address.
    let isOptional: Bool

    package static func listening(family: Int32, port: UInt16, isOptional: Bool) -> SandboxSocket {
        SandboxSocket(family: family, type: stream, port: port, count: 1, isOptional: isOptional)
    }

    package static func connecting(family: Int32, count: Int, isOptional: Bool) -> SandboxSocket {
        SandboxSocket(family: family, type: stream, port: 0, count: count, isOptional: isOptional)
    }

    /// The sockets at which the program finds its resolver of names, for questions in datagrams and over TCP. Programs
    /// ask at this port alone.
    static let resolver = SandboxSocket(
        family: AF_INET, type: Int32(SOCK_DGRAM.rawValue), port: 53, count: 1, isOptional: false)
    static let resolverOfStreams = SandboxSocket.listening(family: AF_INET, port: 53, isOptional: false)

    private static let stream = Int32(SOCK_STREAM.rawValue)
}

/// Sockets that a sandbox makes for a part of its broker, and the channel through which it sends them. Each message on
/// the channel carries one socket and, as a 32-bit number, the place of its `SandboxSocket` in the list. All messages
/// are sent before the program runs, and the program does not get the channel.
package struct SandboxSockets: ~Copyable, Sendable {
    /// The TCP ports that Landlock lets the program use. Without these rules, it lets the program use all ports.
    package struct Rules: Sendable, Hashable {
        let connecting: [UInt16]
        let binding: [UInt16]

        package init(connecting: [UInt16], binding: [UInt16]) {
            self.connecting = connecting
            self.binding = binding
        }
    }

    let list: [SandboxSocket]
    let rules: Rules?
    private let channel: Descriptor

    package init(_ list: [SandboxSocket], channel: consuming Descriptor, rules: Rules?) {
        self.list = list
        self.rules = rules
        self.channel = consume channel
    }

    /// The place in the list that a message names; nil if the message names none.
    package static func mark(_ message: [UInt8]) -> Int? {
        guard message.count == MemoryLayout<UInt32>.size else { return nil }
        return message.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    consuming func takeChannel() -> Descriptor { channel }
}
