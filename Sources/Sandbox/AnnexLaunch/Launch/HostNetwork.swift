internal import AnnexLinux
internal import AnnexNames
internal import AnnexPolicy
internal import AnnexRelay
internal import Glibc
internal import Synchronization

/// The part of a sandbox's network that leads to named hosts: what the program may reach, and the resolver in the
/// sandbox at which it asks for names.
final class HostNetwork: Sendable {
    private enum State: ~Copyable {
        /// The child's end of the channel waits for the plan.
        case planned(Descriptor)
        case launching
        case closed
    }

    let routes: HostRoutes
    private let channel: ControlSocket
    private let state: Mutex<State>
    /// What answers the program's questions for names.
    private let servers = Mutex<[any AnyObject & Sendable]>([])

    /// - Throws: if this machine cannot resolve names for a sandbox.
    init(_ rules: HostRules, proxies: HostProxies) throws(SandboxError) {
        guard NameLookup.program != nil else {
            throw SandboxError(
                "hosts", cause: "names cannot be resolved, because this machine has no `getent`",
                remedy: "install it (Debian, Ubuntu: libc-bin)")
        }
        routes = HostRoutes(rules, proxies: proxies)
        var ends = try SandboxError.step("hosts") { () throws(SystemError) in try DescriptorPair.sockets().list() }
        guard let own = ends.takeFirst(), let other = ends.takeFirst() else {
            throw SandboxError("hosts", cause: "socketpair returned no two descriptors")
        }
        channel = ControlSocket(owning: own)
        state = Mutex(.planned(other))
    }

    /// What the child of the launch makes in the sandbox's network.
    func sockets() throws(SandboxError) -> SandboxSockets {
        let end = state.withLock { state -> Descriptor? in
            switch consume state {
            case .planned(let end):
                state = .launching
                return end
            case .launching: state = .launching
            case .closed: state = .closed
            }
            return nil
        }
        guard let end else { throw SandboxError("hosts", cause: "the sandbox was planned twice") }
        return SandboxSockets(plan, channel: end, rules: nil)
    }

    private var plan: [SandboxSocket] {
        [.resolver, .resolverOfStreams]
            + LoopbackFamily.allCases.map {
                .connecting(family: $0.rawValue, count: RelayedConnections.sockets, isOptional: $0 == .six)
            }
    }

    /// Begins to answer questions.
    func open() throws(SandboxError) {
        try SandboxError.step("hosts") { () throws(SystemError) in
            while case .message(var message) = try channel.receive(atMost: MemoryLayout<UInt32>.size) {
                if message.descriptorsWereCut { throw SystemError("recvmsg", errno: EMFILE) }
                var sockets = message.takeDescriptors()
                guard let mark = SandboxSockets.mark(message.bytes), plan.indices.contains(mark),
                    let socket = sockets.takeFirst()
                else { throw SystemError("recvmsg", errno: EBADMSG) }
                try take(socket, as: plan[mark])
            }
        }
    }

    private func take(_ socket: consuming Descriptor, as kind: SandboxSocket) throws(SystemError) {
        if kind == .resolver {
            try routes.begin(in: socket)
            let server = try NameServer(socket, of: routes.hosts, on: AnswerLoop.shared())
            return servers.withLock { $0.append(server) }
        }
        if kind == .resolverOfStreams {
            let server = try NameListener(socket, of: routes.hosts, on: AnswerLoop.shared())
            return servers.withLock { $0.append(server) }
        }
        if let family = LoopbackFamily(rawValue: kind.family) { routes.relayed.add(socket, family: family) }
    }

    /// The machines for which the program asked until now.
    var requestedHosts: [RequestedHost] { routes.hosts.requestedHosts.map(RequestedHost.init) }

    /// Ends the answers, and the connections that the broker carries. Bytes that the program has sent still reach other
    /// machines, for at most `patience`. Other connections belong to the program alone.
    /// - Parameter job: called once, when these connections have ended.
    func close(within patience: Duration, then job: @escaping @Sendable () -> Void) {
        state.withLock { $0 = .closed }
        servers.withLock { $0 = [] }
        routes.hosts.close()
        routes.relayed.close(within: patience, then: job)
    }
}
