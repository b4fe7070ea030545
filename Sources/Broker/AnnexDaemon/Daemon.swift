internal import AnnexBrokerAPI
package import AnnexLinux
internal import Glibc
package import Logging
internal import Synchronization

/// A server with one broker for each user who connects through its Unix socket. A user cannot reach another user's
/// broker.
package final class Daemon: Sendable {
    struct State {
        var users: [UInt32: DaemonUser] = [:]
        var connections: [UInt64: Connection] = [:]
        var last: UInt64 = 0
        var isLeaving = false
        var watch: EventLoop.Watch?
    }

    let state = Mutex(State())
    let options: DaemonOptions
    let loop: EventLoop
    let logger: Logger
    /// The disk space for all users' apps.
    let space: StoreSpace
    let descriptors: DescriptorBudget
    /// The user ID that stands for all users without an ID in this user namespace; nil if every user has an ID. The
    /// daemon cannot distinguish the users without an ID.
    private let overflowUser = UserMap.overflowUser()
    /// Closes sockets of connections that were not admitted. From Linux 6.16 on, a connection without a hello holds no
    /// descriptors, so the close is quick. On older kernels, the close may take long, but it does not block the event
    /// loop.
    private let closing = Lane("annex-closing")
    /// The socket that accepts connections. It stays open until the daemon ends, so that hosts that connect during the
    /// shutdown wait for the daemon's successor.
    package let listener: ListeningSocket

    /// - Parameter listener: the socket that accepts connections.
    package init(_ options: DaemonOptions, listener: consuming ListeningSocket, logger: Logger) throws(SystemError) {
        self.options = options
        self.listener = listener
        self.logger = logger
        space = StoreSpace(options)
        descriptors = DescriptorBudget.ofThisProcess(isShared: options.isSystem)
        loop = try EventLoop.shared()
    }

    /// Begins to accept connections.
    package func start() throws(SystemError) {
        let watch = try loop.watch(listener.descriptor.number) { [weak self] _ in self?.accept() }
        let isLeaving = state.withLock { state in
            state.watch = watch
            return state.isLeaving
        }
        if isLeaving { watch.cancel() }
    }

    // MARK: Connections

    private func accept() {
        for _ in 0..<16 {
            do throws(SystemError) {
                guard let socket = try LocalSocket.accept(from: listener.descriptor) else { return }
                admit(socket)
            } catch {
                // No descriptor is left for one more connection. Pending connections stay in the socket's queue.
                return pause(error)
            }
        }
    }

    private func pause(_ error: SystemError) {
        logger.warning("the daemon cannot accept connections for a moment", metadata: ["error": "\(error)"])
        state.withLock { state in
            defer { state.watch = nil }
            return state.watch
        }?.cancel()
        loop.schedule(after: .milliseconds(200)) { [weak self] in self?.goOn() }
    }

    private func goOn() {
        do throws(SystemError) {
            try start()
        } catch {
            // Without another attempt, the daemon would continue to run but accept no further connection.
            pause(error)
        }
    }

    private func admit(_ socket: consuming ControlSocket) {
        let peer: PeerIdentity
        do throws(SystemError) {
            peer = try PeerIdentity(of: socket)
        } catch {
            logger.debug("a connection was not accepted", metadata: ["error": "\(error)"])
            return close(socket)
        }
        if let rejection = rejection(of: peer, socket) { return reject(socket, error: rejection) }
        guard let user = user(peer.user) else { return reject(socket, error: Self.notServed) }
        guard user.closing.count < options.limits.mostClosing else {
            return reject(
                socket, error: user.overQuota("\(options.limits.mostClosing) descriptors that wait to be closed"))
        }
        guard user.acquire(\.connections, most: options.limits.connections) else {
            return reject(socket, error: user.overQuota("\(options.limits.connections) connections"))
        }
        connect(socket, peer: peer, user: user)
    }

    /// The error because of which the daemon does not serve a peer; nil if the daemon serves the peer. This check does
    /// not cover the limits of the peer's user.
    private func rejection(of peer: borrowing PeerIdentity, _ socket: borrowing ControlSocket) -> BrokerError? {
        if peer.user == overflowUser {
            return BrokerError(
                .overQuota, what: "this daemon's user namespace has no ID for your user, so it cannot identify you",
                place: "annexd", remedy: "run a daemon outside the container")
        }
        if options.isSystem, let rejection = peer.rejection() { return rejection }
        return descriptors.rejection(of: socket.descriptor.number, from: peer.user)
    }

    private func connect(
        _ socket: consuming ControlSocket, peer: consuming PeerIdentity, user: DaemonUser
    ) {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        let process = peer.number
        let connection = Connection(
            socket, process: peer.takeProcess(), numbered: process, user: user, loop: loop, logger: logger
        ) { [weak self] in self?.forget(number) }
        state.withLock { $0.connections[number] = connection }
        do throws(SystemError) {
            try connection.begin()
        } catch {
            connection.close("\(error)")
        }
    }

    private func reject(_ socket: consuming ControlSocket, error: BrokerError) {
        if let bytes = try? DaemonPacket.rejected(error).encoded() { try? socket.send(bytes) }
        close(socket)
    }

    private func close(_ socket: consuming ControlSocket) {
        OpenSocket(socket, closing: closing).letGo()
    }

    private static var notServed: BrokerError {
        BrokerError(
            .overQuota,
            what: "this daemon does not serve your user: it belongs to another user, or has reached its limit of users",
            place: "annexd", remedy: "start a daemon of your own: systemctl --user enable --now annexd.socket")
    }

    // MARK: Users

    /// The record of a user. The user's first connection creates it. The result is nil if the daemon serves no further
    /// user.
    private func user(_ number: UInt32) -> DaemonUser? {
        guard options.isSystem || number == geteuid() else { return nil }
        return state.withLock { state in
            if let known = state.users[number] { return known }
            if state.users.count >= options.limits.users,
                let idle = state.users.first(where: { $0.value.isIdle })
            {
                state.users[idle.key] = nil
                idle.value.lane.run { idle.value.dropResources() }
            }
            // Root is served even if the limit of users is reached.
            guard number == 0 || state.users.count < options.limits.users else { return nil }
            let made = DaemonUser(number, options: options, space: space, descriptors: descriptors, logger: logger)
            state.users[number] = made
            awaitRest(of: made)
            return made
        }
    }

    private func forget(_ number: UInt64) {
        let gone = state.withLock { $0.connections.removeValue(forKey: number) }
        withExtendedLifetime(gone) {}
    }

    /// Sets the timer after which an idle user's broker is released. Each user has only one such timer, however many
    /// connections the user makes.
    private func awaitRest(of user: DaemonUser) {
        loop.schedule(after: options.limits.idle) { [weak self, weak user] in
            guard let self, let user, state.withLock({ $0.users[user.number] === user }) else { return }
            if !letGo(ofRested: user) { awaitRest(of: user) }
        }
    }

    /// Releases an idle user's broker. The apps stay on disk, and the next request makes a broker again.
    private func letGo(ofRested user: DaemonUser) -> Bool {
        let isGone = state.withLock { state in
            guard user.hasRested(for: options.limits.idle) else { return false }
            state.users[user.number] = nil
            return true
        }
        if isGone { user.lane.run { user.dropResources() } }
        return isGone
    }
}

extension Daemon {
    /// Shuts the daemon down gracefully. The daemon launches nothing more, notifies all hosts, and ends all extensions
    /// with the reason `brokerShutdown`. When this function returns, all wardens have ended. This function takes no
    /// longer than the limit `farewell`. It must not run on the event loop's thread.
    package func leave() {
        let (watch, users, connections) = state.withLock { state in
            state.isLeaving = true
            defer { state.watch = nil }
            return (state.watch, Array(state.users.values), Array(state.connections.values))
        }
        watch?.cancelAndWait()
        for connection in connections { connection.send(.leaving) }
        let deadline = MonotonicClock.deadline(after: options.limits.farewell)
        repeat {
            // This step is repeated, because a launch may have been in progress during the first pass.
            for user in users { user.leave() }
            MonotonicClock.pause()
        } while MonotonicClock.now() < deadline
            && !(users.allSatisfy(\.hasLeft) && connections.allSatisfy(\.isFlushed))
        for connection in connections { connection.close("the daemon is shutting down") }
        for user in users { user.dropResources() }
    }
}

extension DaemonUser {
    /// Whether the user has no running extension and no open request.
    fileprivate var hasLeft: Bool {
        state.withLock { $0.running == 0 && $0.openRequests == 0 }
    }
}
