/// The TCP ports that a program shares with this machine: ports of this machine to which the program can connect, and
/// ports of the program to which this machine can connect.
///
/// The program keeps a network of its own, with nothing but a loopback interface. Annex carries the bytes of each
/// connection from this network to the loopback addresses of this machine, or in the other direction. So the program
/// reaches no other port and no other address.
public struct LocalPorts: Sendable, Hashable {
    /// A port of the program that this machine can connect to.
    public struct Published: Sendable, Hashable {
        /// The port of this machine, at 127.0.0.1 and ::1.
        public let machine: UInt16
        /// The port at which the program listens, at 127.0.0.1 or ::1.
        public let program: UInt16
    }

    /// The ports of this machine to which the program can connect, at 127.0.0.1 and ::1.
    public private(set) var allowed: [UInt16] = []
    /// The ports of the program to which this machine can connect.
    public private(set) var published: [Published] = []
    /// Whether Landlock keeps the program from all other TCP ports of its own network.
    package var isExclusive = false

    /// No ports.
    public init() {}

    /// Lets the program connect to this port of this machine. The port is above 0.
    public mutating func allow(_ port: UInt16) {
        if !allowed.contains(port) { allowed.append(port) }
    }

    /// Lets programs of this machine connect to a port of the program. Both ports are above 0.
    /// - Parameters:
    ///   - port: the port at which the program listens.
    ///   - machine: the port of this machine; nil for the same port.
    public mutating func publish(_ port: UInt16, at machine: UInt16? = nil) {
        let item = Published(machine: machine ?? port, program: port)
        if !published.contains(item) { published.append(item) }
    }

    /// Whether there are no ports.
    public var isEmpty: Bool { allowed.isEmpty && published.isEmpty }

    /// The most ports that a program can have. For each port, the sandbox has a socket for IPv4 and one for IPv6.
    package static let most = 16
}
