internal import AnnexBroker
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
    /// The new connections of root, and of all other users without a record.
    private let accepts: (ofRoot: AcceptQueue, ofNewcomers: AcceptQueue)
    private let peers = KnownPeers()
    /// The most connections that are accepted or admitted in one turn of the event loop.
    private static let mostAtOnce = 16
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
        accepts = (
            AcceptQueue(perSecond: options.limits.acceptsPerSecond),
            AcceptQueue(perSecond: options.limits.acceptsOfNewcomers)
        )
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

    /// Accepts a few connections. Between two calls, the event loop reads the packets of established connections.
    private func accept() {
        for _ in 0..<Self.mostAtOnce {
            do throws(SystemError) {
                guard let socket = try LocalSocket.accept(from: listener.descriptor) else { return }
                receive(socket)
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

    /// Decides by its user alone whether a connection is admitted now. All further work on a connection counts against
    /// the budget of its user.
    private func receive(_ socket: consuming ControlSocket) {
        let user: UInt32
        do throws(SystemError) {
            user = try PeerCredentials(of: socket).user
        } catch {
            logger.debug("a connection was not accepted", metadata: ["error": "\(error)"])
            return close(socket)
        }
        let queue = queue(of: user)
        let canWait = descriptors.rejection(of: socket.descriptor.number, from: user) == nil
        switch queue.turn(at: MonotonicClock.now(), canWait: canWait) {
        case .now: admit(socket, from: queue)
        case .later:
            if queue.keep(OpenSocket(socket, closing: closing)) { awaitTurn(in: queue) }
        case .never(let isTold):
            let error = Self.tooFast(user, limit: queue.limit)
            count(error, of: user, in: queue)
            if isTold { return reject(socket, error: error) }
            // If the socket refuses descriptors, it holds none, and closing it takes no time.
            if !socket.setPassRights(false) { close(socket) }
        }
    }

    /// The queue of a user. Users without a record share one queue, because one user of the machine can have many user
    /// IDs, and the daemon finds out only by the work that the queues limit.
    private func queue(of user: UInt32) -> AcceptQueue {
        user == 0 ? accepts.ofRoot : state.withLock { $0.users[user]?.accepts } ?? accepts.ofNewcomers
    }

    private func awaitTurn(in queue: AcceptQueue) {
        loop.schedule(after: .milliseconds(20)) { [weak self] in
            guard let self else { return }
            for _ in 0..<Self.mostAtOnce {
                guard let socket = queue.next(at: MonotonicClock.now())?.take() else { break }
                admit(socket, from: queue)
            }
            if queue.hasWaiting { awaitTurn(in: queue) }
        }
    }

    private func admit(_ socket: consuming ControlSocket, from queue: AcceptQueue) {
        let peer: PeerIdentity
        do throws(SystemError) {
            peer = try PeerIdentity(of: socket)
        } catch {
            logger.debug("a connection was not accepted", metadata: ["error": "\(error)"])
            return close(socket)
        }
        if let error = rejection(of: peer, socket) { return refuse(socket, error: error, of: peer.user, in: queue) }
        guard let user = user(peer.user) else { return refuse(socket, error: Self.notServed, of: peer.user, in: queue) }
        guard user.closing.count < options.limits.mostClosing else {
            let error = user.overQuota("\(options.limits.mostClosing) descriptors that wait to be closed")
            return refuse(socket, error: error, of: user.number, in: queue)
        }
        guard user.acquire(\.connections, most: options.limits.connections) else {
            let error = user.overQuota("\(options.limits.connections) connections")
            return refuse(socket, error: error, of: user.number, in: queue)
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
        if options.isSystem, let rejection = peers.rejection(of: peer, at: MonotonicClock.now()) { return rejection }
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

    private func refuse(
        _ socket: consuming ControlSocket, error: BrokerError, of user: UInt32, in queue: AcceptQueue
    ) {
        count(error, of: user, in: queue)
        reject(socket, error: error)
    }

    /// Logs refused connections, at most once a second for each queue.
    private func count(_ error: BrokerError, of user: UInt32, in queue: AcceptQueue) {
        guard queue.countRefusal(of: user, why: error.what) else { return }
        loop.schedule(after: .seconds(1)) { [logger] in
            let refusals = queue.takeRefusals()
            logger.notice(
                "connections were refused",
                metadata: [
                    "user": "\(refusals.user)", "count": "\(refusals.count)", "why": "\(Escaped(refusals.why))",
                ])
        }
    }

    private func reject(_ socket: consuming ControlSocket, error: BrokerError) {
        if let bytes = try? DaemonPacket.rejected(error).encoded() { try? socket.send(bytes) }
        close(socket)
    }

    private func close(_ socket: consuming ControlSocket) {
        OpenSocket(socket, closing: closing).letGo()
    }

    private static func tooFast(_ user: UInt32, limit: Int) -> BrokerError {
        BrokerError(
            .overQuota, what: "user \(user) has reached a limit: \(limit) new connections in a second", place: "annexd",
            remedy: "keep one connection for many requests, or try again later")
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

    /// Makes the brokers of all users with background transfers, so that the transfers go on before a host of the user
    /// connects.
    package func resumeTransfers() {
        for number in options.usersWithTransfers() {
            guard let user = user(number) else { continue }
            user.lane.run { [logger] in
                do throws(BrokerError) {
                    _ = try user.ready()
                } catch {
                    logger.warning(
                        "the transfers of a user wait", metadata: ["user": "\(number)", "error": "\(error)"])
                }
            }
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
    /// with the reason `brokerShutdown`. When this function returns, all wardens have ended, and the reports on the ends
    /// are on disk. This function waits for hosts and extensions no longer than the limit `farewell`. It must not run on
    /// the event loop's thread.
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
        // A restart replaces the program without an exit, so no exit handler waits for the reports.
        ReportQueue.finishAtLast()
    }
}

extension DaemonUser {
    /// Whether the user has no running extension and no open request.
    fileprivate var hasLeft: Bool {
        state.withLock { $0.running == 0 && $0.openRequests == 0 }
    }
}
