internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexRelay
internal import Glibc
internal import Synchronization

/// Relays the connections of a program's `LocalPorts`, from the start of the program to its end.
///
/// The child of the launch makes all sockets that are in the sandbox's network: listening sockets for allowed ports,
/// and sockets to connect with for published ports. It sends them through a channel, which the program does not get.
/// The relay has a thread of its own, so a flood of connections does not delay the program's limits.
package final class PortGate: Sendable {
    /// The most relayed connections to allowed ports at once. Further connections wait.
    package static let mostAllowed = 128
    /// The most relayed connections to published ports at once, for each of the two addresses.
    package static let mostPublished = 32

    private struct State {
        var entrances: [PortEntrance] = []
        /// The listening sockets of this machine, until the relay begins.
        var listeners: [(socket: RelaySocket, family: LoopbackFamily, program: UInt16)] = []
        var connections: [ObjectIdentifier: PortConnection] = [:]
        var allowed = 0
        /// A program that connects without end would otherwise use up the ports of this machine's side.
        var budget = TokenBucket(atOnce: 256, perSecond: 200)
        var loop: EventLoop?
        var isClosing = false
        /// Called when the last connection has ended.
        var whenQuiet: (@Sendable () -> Void)?
    }

    private let ports: LocalPorts
    private let plan: [SandboxSocket]
    private let channel: ControlSocket
    private let given: Mutex<Descriptor?>
    private let pool = RelayPool()
    private let state = Mutex(State())

    /// Listens at the published ports of this machine.
    /// - Throws: if a port of this machine is in use, or not for this user.
    init(_ ports: LocalPorts) throws(SandboxError) {
        self.ports = ports
        plan = Self.sockets(for: ports)
        var ends = try SandboxError.step("ports") { () throws(SystemError) in try DescriptorPair.sockets().list() }
        guard let own = ends.takeFirst(), let other = ends.takeFirst() else {
            throw SandboxError("ports", cause: "socketpair returned no two descriptors")
        }
        channel = ControlSocket(owning: own)
        given = Mutex(other)
        for item in ports.published { try listen(for: item) }
    }

    /// What the child of the launch makes in the sandbox's network.
    func takeRequest() -> SandboxSockets? {
        let programs = ports.published.map(\.program)
        let rules = SandboxSockets.Rules(connecting: ports.allowed + programs, binding: programs)
        guard let channel = given.withLock({ $0.take() }) else { return nil }
        return SandboxSockets(plan, channel: channel, rules: ports.isExclusive ? rules : nil)
    }

    private static func sockets(for ports: LocalPorts) -> [SandboxSocket] {
        var list: [SandboxSocket] = []
        for family in LoopbackFamily.allCases {
            let isOptional = family == .six
            list += ports.allowed.map { .listening(family: family.rawValue, port: $0, isOptional: isOptional) }
            if !ports.published.isEmpty {
                list.append(.connecting(family: family.rawValue, count: mostPublished, isOptional: isOptional))
            }
        }
        return list
    }

    private func listen(for item: LocalPorts.Published) throws(SandboxError) {
        for family in LoopbackFamily.allCases {
            do throws(SystemError) {
                let socket = try RelaySocket.listening(at: item.machine, family)
                state.withLock { $0.listeners.append((socket, family, item.program)) }
            } catch {
                if family == .six, LoopbackFamily.isMissing(error.errno) { continue }
                throw Self.failure(port: item.machine, family, error: error)
            }
        }
    }

    private static func failure(port: UInt16, _ family: LoopbackFamily, error: SystemError) -> SandboxError {
        let place = (family == .four ? "127.0.0.1:" : "[::1]:") + "\(port)"
        return switch error.errno {
        case EADDRINUSE:
            SandboxError(
                "ports", cause: "another program of this machine listens at \(place)",
                remedy: "end it, or publish at another port: --publish 8080:3000 is port 8080 of this machine")
        case EACCES, EPERM:
            SandboxError(
                "ports", cause: "this user may not listen at \(place)",
                remedy: "publish at a port from 1024 on: --publish 8080:80 is port 8080 of this machine")
        default: SandboxError("ports", error: error)
        }
    }

    // MARK: - While the program runs

    /// Begins to relay. The child has sent its sockets by now.
    func open() throws(SandboxError) {
        try SandboxError.step("ports") { () throws(SystemError) in try begin() }
    }

    private func begin() throws(SystemError) {
        let loop = try EventLoop(name: "annex-ports")
        let listeners = state.withLock { state in
            state.loop = loop
            defer { state.listeners = [] }
            return state.listeners
        }
        for (socket, family, port) in listeners { add(socket, kind: .published(port), family: family, on: loop) }
        try receiveSockets(on: loop)
        loop.execute { [weak self] in self?.goOn() }
    }

    private func receiveSockets(on loop: EventLoop) throws(SystemError) {
        while case .message(var message) = try channel.receive(atMost: MemoryLayout<UInt32>.size) {
            if message.descriptorsWereCut { throw SystemError("recvmsg", errno: EMFILE) }
            var sockets = message.takeDescriptors()
            guard let index = SandboxSockets.mark(message.bytes), plan.indices.contains(index),
                let socket = sockets.takeFirst(), let family = LoopbackFamily(rawValue: plan[index].family)
            else { continue }
            if plan[index].port == 0 {
                let pooled = RelaySocket(owning: socket, pool: family)
                pool.add(pooled)
            } else {
                add(RelaySocket(owning: socket), kind: .allowed(plan[index].port), family: family, on: loop)
            }
        }
    }

    private func add(_ socket: RelaySocket, kind: PortEntrance.Kind, family: LoopbackFamily, on loop: EventLoop) {
        let entrance = PortEntrance(socket, kind: kind, family: family, on: loop) { [weak self] entrance in
            self?.accept(at: entrance)
        }
        state.withLock { $0.entrances.append(entrance) }
    }

    /// Lets all entrances accept that may.
    private func goOn() {
        let (entrances, isClosing) = state.withLock { ($0.entrances, $0.isClosing) }
        if !isClosing { for entrance in entrances { entrance.resume() } }
    }

    /// Accepts some connections. If there can be no more at this time, the entrance waits, and with it the peers.
    private func accept(at entrance: PortEntrance) {
        for _ in 0..<16 {
            if let pause = state.withLock({ pause(at: entrance, in: &$0) }) { return wait(entrance, for: pause) }
            do throws(SystemError) {
                guard let socket = try entrance.socket.accept() else { return }
                begin(socket, at: entrance)
            } catch {
                return wait(entrance, for: .milliseconds(200))
            }
        }
    }

    /// Why no further connection may begin: how long the entrance waits. Nil if one may begin. A connection that ends
    /// wakes all entrances.
    private func pause(at entrance: PortEntrance, in state: inout State) -> Duration? {
        if state.isClosing { return .zero }
        switch entrance.kind {
        case .allowed:
            if state.allowed >= Self.mostAllowed { return .zero }
            return state.budget.acquire(at: MonotonicClock.now()) ? nil : .milliseconds(50)
        case .published: return pool.hasRoom ? nil : .zero
        }
    }

    private func wait(_ entrance: PortEntrance, for pause: Duration) {
        entrance.pause()
        guard pause > .zero, let loop = state.withLock({ $0.loop }) else { return }
        loop.schedule(after: pause) { [weak self] in self?.goOn() }
    }

    private func begin(_ socket: RelaySocket, at entrance: PortEntrance) {
        guard let loop = state.withLock({ $0.loop }) else { return }
        let dial: @Sendable (LoopbackFamily) -> RelaySocket? =
            switch entrance.kind {
            case .allowed(let port): { RelaySocket.connecting(to: port, $0) }
            case .published(let port): { [weak self] in self?.dial(port: port, $0) }
            }
        let service = PortConnection.Service(
            dial: dial, release: { [weak self] socket, hasFailed in self?.release(socket, hasFailed: hasFailed) },
            ended: { [weak self] connection in self?.ended(connection, at: entrance) })
        let connection = PortConnection(
            socket, from: entrance.isOfSandbox ? .sandbox : .machine, trying: entrance.families, on: loop,
            service: service)
        state.withLock { state in
            state.connections[ObjectIdentifier(connection)] = connection
            if entrance.isOfSandbox { state.allowed += 1 }
        }
        connection.begin()
    }

    /// Takes a socket of the pool, which begins to connect to a port of the program.
    private func dial(port: UInt16, _ family: LoopbackFamily) -> RelaySocket? {
        guard let socket = pool.take(family) else { return nil }
        if socket.begin(to: port, family) { return socket }
        release(socket, hasFailed: true)
        return nil
    }

    private func release(_ socket: RelaySocket, hasFailed: Bool) {
        guard socket.pool != nil else { return hasFailed ? socket.resetAtClose() : () }
        guard let loop = state.withLock({ $0.loop }) else { return }
        pool.giveBack(socket, hasFailed: hasFailed, on: loop) { [weak self] in self?.goOn() }
    }

    private func ended(_ connection: PortConnection, at entrance: PortEntrance) {
        let quiet = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return nil }
            if entrance.isOfSandbox { state.allowed -= 1 }
            return state.connections.isEmpty ? state.whenQuiet.take() : nil
        }
        if let quiet { quiet() } else { goOn() }
    }

    // MARK: - After the program's end

    /// Ends the relay. Bytes that the program has sent still reach their receivers, for at most `patience`.
    /// - Parameter job: called once, when the relay has ended.
    func close(within patience: Duration, then job: @escaping @Sendable () -> Void) {
        let loop = state.withLock { state in
            state.listeners = []
            return state.loop
        }
        guard let loop else { return job() }
        let isClosing = loop.execute { [self] in
            let (entrances, connections) = state.withLock { state in
                state.isClosing = true
                return (state.entrances, Array(state.connections.values))
            }
            for entrance in entrances { entrance.pause() }
            let once = Once { [self] in finish(loop, then: job) }
            if connections.isEmpty { return once.run() }
            state.withLock { $0.whenQuiet = { once.run() } }
            loop.schedule(after: patience) { once.run() }
            for connection in connections { connection.close() }
        }
        if !isClosing { job() }
    }

    private func finish(_ loop: EventLoop, then job: @Sendable () -> Void) {
        let connections = state.withLock { state in
            defer { state.connections = [:] }
            return Array(state.connections.values)
        }
        for connection in connections { connection.abort() }
        state.withLock { state in
            state.entrances = []
            state.loop = nil
        }
        pool.close()
        loop.shutDown()
        job()
    }
}
