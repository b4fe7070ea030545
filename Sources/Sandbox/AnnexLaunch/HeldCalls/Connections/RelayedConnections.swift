internal import AnnexLinux
internal import AnnexNames
internal import AnnexRelay
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// All connections of one sandbox whose bytes the broker carries. They have a thread of their own, so that many bytes
/// of one program delay nothing else.
final class RelayedConnections: Sendable {
    /// The sockets for each kind of addresses: one for each connection at a time, and one that is never used.
    static let sockets = most + 1
    /// The most connections at once, for each kind of addresses.
    static let most = 48

    /// How long a connection may wait for its machine, and for what the program and the machine send first, while
    /// others wait for room.
    private static let patience = (calling: Duration.seconds(3), beginning: Duration.seconds(30))

    private struct State {
        /// Sockets that are never used. They have the settings of each new socket in the sandbox's network.
        var fresh: [LoopbackFamily: RelaySocket] = [:]
        var live: [ObjectIdentifier: RelayedConnection] = [:]
        var loop: EventLoop?
        var isClosed = false
        /// Called when the last connection has ended.
        var whenQuiet: (@Sendable () -> Void)?
    }

    private let hosts: NamedHosts
    private let pool = RelayPool()
    private let state = Mutex(State())

    init(of hosts: NamedHosts) { self.hosts = hosts }

    /// Adds a socket in the sandbox's network, for one connection at a time.
    func add(_ socket: consuming Descriptor, family: LoopbackFamily) {
        let pooled = RelaySocket(owning: socket, pool: family)
        state.withLock { state in
            if state.fresh[family] == nil { state.fresh[family] = pooled } else { pool.add(pooled) }
        }
    }

    /// A socket of the sandbox's network with the settings of a new one; nil if the sandbox has no such addresses.
    func fresh(_ family: LoopbackFamily) -> RelaySocket? { state.withLock { $0.fresh[family] } }

    /// Begins a connection.
    /// - Parameters:
    ///   - program: the program's socket, which is not connected.
    ///   - check: what the broker reads of the beginning.
    /// - Returns: nil if there are too many connections at this time.
    /// - Throws: the reason why the program's `connect` fails at once.
    func connect(
        _ program: consuming Descriptor, family: LoopbackFamily, to address: InternetAddress, check: NamedHosts.Check
    ) throws(SystemError) -> RelayedConnection? {
        let far = try RelaySocket.new(address.host.count == 4 ? .four : .six)
        guard let (near, loop) = try reserve(family) else {
            endOldest()
            return nil
        }
        let usual = fresh(family)?.descriptor.number ?? far.descriptor.number
        _ = annex_host_copy_settings(program.number, far.descriptor.number, usual)
        let connection = RelayedConnection(
            program, near: near, far: far, family: family, to: address, check: check, of: hosts, on: loop
        ) { [weak self] connection, hasFailed in self?.release(connection, hasFailed: hasFailed) }
        state.withLock { $0.live[ObjectIdentifier(connection)] = connection }
        try connection.begin()
        return connection
    }

    private func reserve(_ family: LoopbackFamily) throws(SystemError) -> (RelaySocket, EventLoop)? {
        try state.withLock { (state) throws(SystemError) in
            guard !state.isClosed else { throw SystemError("connect", errno: ENETDOWN) }
            if state.loop == nil { state.loop = try EventLoop(name: "annex-hosts") }
            guard let loop = state.loop, let near = pool.take(family) else { return nil }
            return (near, loop)
        }
    }

    /// Ends the oldest connection that waits for long. Its program may have given it up, which the broker does not see.
    private func endOldest() {
        let (now, (live, loop)) = (MonotonicClock.now(), state.withLock { (Array($0.live.values), $0.loop) })
        let oldest = live.filter { connection in
            let patience = connection.isCalling ? Self.patience.calling : Self.patience.beginning
            return !connection.isOpen && connection.begun + MonotonicClock.nanoseconds(patience) < now
        }.min { $0.begun < $1.begun }
        if let oldest { loop?.execute { oldest.giveUp() } }
    }

    private func release(_ connection: RelayedConnection, hasFailed: Bool) {
        let (loop, quiet) = state.withLock { state -> (EventLoop?, (@Sendable () -> Void)?) in
            state.live[ObjectIdentifier(connection)] = nil
            return state.isClosed ? (nil, state.live.isEmpty ? state.whenQuiet.take() : nil) : (state.loop, nil)
        }
        quiet?()
        if let loop { pool.giveBack(connection.near, hasFailed: hasFailed, on: loop) }
    }

    /// Ends the connections to machines that are not allowed any more.
    func endRefused() {
        let (live, loop) = state.withLock { (Array($0.live.values), $0.loop) }
        _ = loop?.execute { for connection in live { connection.endIfRefused() } }
    }

    /// Ends all connections, because the program has ended. Bytes that it has sent still reach the other machines, for
    /// at most `patience`.
    /// - Parameter job: called once, when all connections have ended.
    func close(within patience: Duration, then job: @escaping @Sendable () -> Void) {
        let once = Once { [self] in
            let (rest, loop) = state.withLock { state in
                defer { (state.live, state.loop) = ([:], nil) }
                return (Array(state.live.values), state.loop)
            }
            for connection in rest { connection.abort() }
            pool.close()
            loop?.shutDown()
            job()
        }
        let (live, loop) = state.withLock { state in
            state.isClosed = true
            if !state.live.isEmpty { state.whenQuiet = { once.run() } }
            return (Array(state.live.values), state.loop)
        }
        guard let loop, !live.isEmpty else { return once.run() }
        loop.schedule(after: patience) { once.run() }
        let isTaken = loop.execute { for connection in live { connection.close() } }
        if !isTaken { once.run() }
    }
}
