package import AnnexLinux
internal import AnnexPortal
internal import Synchronization

/// Answers the requests that arrive on the portals of one broker, or of one containing app that serves itself. A
/// portal is a socket through which a member, an extension or app, sends requests. Requests about a group run in the
/// row of that group. So a slow disk or a busy member delays the members of one group only.
package final class PortalServer: Sendable {
    let loop: EventLoop
    /// The row for requests that are about no group.
    private let row = Lane.Row(of: .slow)
    private let connections = Mutex<UInt64>(0)
    private let services: [PortalServiceName: any PortalService]

    package init(loop: EventLoop, services: [any PortalService]) {
        self.loop = loop
        self.services = Dictionary(services.map { ($0.name, $0) }) { $1 }
    }

    /// Whether an extension has a use for a portal: whether it could use a service.
    package func isUseful(to extension: PortalProspect) -> Bool {
        services.values.contains { $0.isUseful(to: `extension`) }
    }

    /// Makes a portal for a member.
    /// - Parameter onViolation: called at most once, on the event loop, if the member breaks a rule. The portal ends
    ///   after this call.
    /// - Returns: the connection, and the member's end of the socket.
    package func connect(
        _ member: PortalMember, onViolation: @escaping @Sendable (String) -> Void
    ) throws(SystemError) -> PortalEnds {
        let sockets = try ControlSocketPair()
        let connection = try connection(
            member, over: ControlSocket(owning: try sockets.host.descriptor.duplicate()), onViolation: onViolation)
        return PortalEnds(
            connection: connection, socket: ControlSocket(owning: try sockets.peer.descriptor.duplicate()))
    }

    /// Serves a containing app that has connected by itself, and answers the app's hello message.
    /// - Parameters:
    ///   - onViolation: the same as in `connect`.
    ///   - onEnd: called once, when the portal has ended.
    package func serve(
        _ app: PortalMember, over socket: consuming ControlSocket,
        onViolation: @escaping @Sendable (String) -> Void, onEnd: @escaping @Sendable () -> Void
    ) throws(SystemError) -> PortalConnection {
        let connection = try connection(app, over: socket, onViolation: onViolation, onEnd: onEnd)
        connection.send(description: app)
        return connection
    }

    private func connection(
        _ member: PortalMember, over socket: consuming ControlSocket,
        onViolation: @escaping @Sendable (String) -> Void, onEnd: @escaping @Sendable () -> Void = {}
    ) throws(SystemError) -> PortalConnection {
        let connection = PortalConnection(
            socket, member: member, number: nextNumber(), server: self, onViolation: onViolation, onEnd: onEnd)
        try connection.start()
        return connection
    }

    private func nextNumber() -> UInt64 {
        connections.withLock { last in
            last += 1
            return last
        }
    }

    func handle(_ request: PortalRequest, of connection: PortalConnection, bytes: Int) {
        do throws(PortalError) {
            let (service, group) = try route(request, of: connection.member)
            let call = PortalCall(request, to: service.name, of: connection, group: group)
            (group?.row ?? row).run {
                defer { connection.finished(bytes: bytes) }
                service.handle(call)
            }
        } catch {
            connection.finished(bytes: bytes)
            if request.call != 0 { connection.send(failure: error, of: request.call) }
        }
    }

    /// Finds the service and the group of a request, and checks that the member may use them.
    private func route(
        _ request: borrowing PortalRequest, of member: PortalMember
    ) throws(PortalError) -> (any PortalService, OpenGroup?) {
        guard let name = PortalServiceName(rawValue: request.service), let service = services[name] else {
            throw PortalError(.unavailable, what: "the broker has no such service", remedy: "update the broker")
        }
        if let entitlement = service.entitlement, !member.isAllowed(entitlement) {
            throw PortalError(
                .notAllowed, what: "the entitlement \(entitlement) is not in force",
                remedy: "annex grant \(member.identifier) \(entitlement)")
        }
        guard !request.group.isEmpty else { return (service, nil) }
        if let group = member.groups[request.group] { return (service, group) }
        throw PortalError(
            .notMember, what: "\(member.identifier) is not a member of \(Escaped(request.group, limit: 200))",
            remedy: "declare the group in the entitlements of the extension and of its app, and sign the app")
    }

    /// Closes descriptors that a member has sent. The last close of a file takes as long as its file system needs, so
    /// the event loop must not close these descriptors.
    func close(_ descriptors: consuming DescriptorList) {
        var numbers: [Int32] = []
        while let next = descriptors.takeFirst() { numbers.append(next.release()) }
        close(numbers)
    }

    func close(_ numbers: [Int32]) {
        row.run { for number in numbers { _ = Descriptor(owning: number) } }
    }

    func forget(_ connection: PortalConnection) {
        for service in services.values { service.forget(connection) }
    }
}

/// Both ends of a new portal.
package struct PortalEnds: ~Copyable, Sendable {
    package let connection: PortalConnection
    private let socket: ControlSocket

    init(connection: PortalConnection, socket: consuming ControlSocket) {
        self.connection = connection
        self.socket = socket
    }

    /// The member's end.
    package consuming func takeSocket() -> ControlSocket { socket }
}
