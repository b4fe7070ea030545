internal import AnnexLinux
internal import AnnexNames
internal import AnnexPolicy
internal import AnnexRelay
internal import Synchronization

/// The ways of one sandbox to other machines: what the program may reach, and the connections that the broker carries.
final class HostRoutes: Sendable {
    let hosts: NamedHosts
    let relayed: RelayedConnections
    let family = SandboxFamily()
    /// The number of the sandbox's own network; nil until its sockets have arrived.
    private let network = Mutex<UInt64?>(nil)

    init(_ rules: HostRules, proxies: HostProxies = HostProxies()) {
        hosts = NamedHosts(rules, proxies: proxies)
        relayed = RelayedConnections(of: hosts)
    }

    /// Notes the sandbox's own network by a socket in it.
    func begin(in socket: borrowing Descriptor) throws(SystemError) {
        let number = try ConnectCall.network(of: socket)
        network.withLock { $0 = number }
    }

    /// A socket with the settings of a new one in the sandbox's network; nil if the sandbox has no such addresses.
    func fresh(_ family: Int32) -> RelaySocket? { LoopbackFamily(rawValue: family).flatMap(relayed.fresh) }

    /// Bounds the machines that the program may reach. Connections whose bytes the broker carries end if they lead to
    /// others.
    /// - Parameter read: reads the bound of now.
    /// - Returns: whether the bound differs from the one before.
    func bound(by read: () -> [HostRule]?) -> Bool {
        guard hosts.bound(by: read) else { return false }
        relayed.endRefused()
        return true
    }

    /// Whether the broker made a socket for a connection that the program may not have any more.
    func refuses(_ socket: borrowing Descriptor) -> Bool {
        guard HostSocket.isOne(socket), (try? isInside(socket)) == false else { return false }
        // A connection that was not made yet has no peer, and is tried again.
        return HostSocket.peer(of: socket).map { !hosts.permits($0) } ?? true
    }

    /// Whether a socket is in the sandbox's own network; nil if that is not known yet. Other sockets are those that the
    /// broker gave to the program, or that its caller handed over.
    func isInside(_ socket: borrowing Descriptor) throws(SystemError) -> Bool? {
        guard let own = network.withLock({ $0 }) else { return nil }
        return try ConnectCall.network(of: socket) == own
    }
}
