internal import AnnexBroker
internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel
internal import Glibc
internal import Logging
internal import Synchronization

/// A host's connection to the daemon. All data from the host is untrusted: the daemon reads this data within limits,
/// and checks it. If a host breaks a rule, the host loses the connection, and all its extensions end.
final class Connection: ChangeListener {
    /// An extension that this host launched.
    struct Launched {
        var handle: (any ExtensionHandle)?
        /// Reports that arrived while the launch was in progress.
        var waiting: [ExtensionNotice] = []
        /// The counts of the channel that came with the last of the reports in `waiting`.
        var counts: SessionStatistics?
        /// The requests that the broker counts as open. They are kept here to limit how many requests the broker must
        /// remember.
        var requests: Set<UInt64> = []
    }

    enum Phase {
        case awaitingHello, open, closed
        /// The connection of a containing app. The portal itself reads the socket.
        case portal(AppPortal?)

        /// Whether the connection itself reads its socket.
        var reads: Bool { isAwaitingHello || isOpen }
        var isAwaitingHello: Bool { if case .awaitingHello = self { true } else { false } }
        var isOpen: Bool { if case .open = self { true } else { false } }
        var isClosed: Bool { if case .closed = self { true } else { false } }
    }

    struct State {
        var phase = Phase.awaitingHello
        /// The version that both sides use after the hello.
        var version = ServiceWire.versions.upperBound
        /// The number of the last request. The numbers rise.
        var last: UInt64 = 0
        var extensions: [UInt64: Launched] = [:]
        var unread = Outbox()
        var isFlushing = false
        /// Whether a notice of a change waits in the outbox. One waiting notice is enough, because a host lists all
        /// extensions again after each notice.
        var hasUnsentNews = false
        var socketWatch: EventLoop.Watch?
        var processWatch: EventLoop.Watch?
        var handshake: EventLoop.Timer?
    }

    let state = Mutex(State())
    let socket: OpenSocket
    let process: ProcessHandle
    /// The client's process ID, which is valid until the process ends. It is 0 if the process has no ID in this PID
    /// namespace.
    let number: Int32
    let user: DaemonUser
    let loop: EventLoop
    let logger: Logger
    let limits: DaemonLimits
    private let onClose: @Sendable () -> Void

    init(
        _ socket: consuming ControlSocket, process: consuming ProcessHandle, numbered number: Int32,
        user: DaemonUser, loop: EventLoop, logger: Logger, onClose: @escaping @Sendable () -> Void
    ) {
        self.socket = OpenSocket(socket, closing: user.closing)
        self.process = process
        self.number = number
        self.user = user
        self.loop = loop
        self.logger = logger
        limits = user.options.limits
        self.onClose = onClose
    }

    /// Begins to read. A pidfd reports the end of the client's process. If a child that the client forked keeps the
    /// socket open, the socket does not show that end.
    func begin() throws(SystemError) {
        try socket.markMessages()
        let process = try loop.watch(process.descriptor.number) { [weak self] _ in
            self?.close("the process of the host has ended")
        }
        state.withLock { state in
            state.processWatch = process
            state.handshake = loop.schedule(after: limits.handshake) { [weak self] in self?.checkHandshake() }
        }
        try watchSocket()
    }

    func watchSocket() throws(SystemError) {
        let watch = try loop.watch(socket.number) { [weak self] _ in self?.receive() }
        let isClosed = state.withLock { state in
            guard !state.phase.isClosed else { return true }
            state.socketWatch = watch
            return false
        }
        if isClosed { watch.cancel() }
    }

    private func checkHandshake() {
        if state.withLock({ $0.phase.isAwaitingHello }) { close("no hello within \(limits.handshake)") }
    }

    // MARK: The end

    /// Sends the reason to a client that broke a rule, and closes its connection.
    func reject(_ what: String) {
        if user.mayLogBreak() {
            logger.notice("a connection was closed because its client broke a rule", metadata: words(what))
        }
        send(
            .rejected(
                BrokerError(
                    .unreachable, what: "the daemon closed the connection: \(what)", place: "annexd",
                    remedy: "build the host and the daemon with the same wire version")))
        close(what)
    }

    /// Closes the connection and ends all its extensions. A second call has no effect.
    func close(_ why: String) {
        let closed: State? = state.withLock { state in
            guard !state.phase.isClosed else { return nil }
            let last = state
            state = State()
            (state.phase, state.last) = (.closed, last.last)
            return last
        }
        guard let closed else { return }
        closed.socketWatch?.cancel()
        closed.processWatch?.cancel()
        closed.handshake?.cancel()
        socket.letGo()
        user.stopListening(self)
        logger.debug("a connection ended", metadata: words(why))
        if case .portal(let portal) = closed.phase { portal?.end() }
        for handle in closed.extensions.values.compactMap(\.handle) { Broker.end(ofGoneHost: handle) }
        _ = user.keep(-closed.unread.bytes)
        user.connectionEnded()
        onClose()
    }

    private func words(_ why: String) -> Logger.Metadata {
        ["user": "\(user.number)", "host": "\(number)", "why": "\(Escaped(why))"]
    }
}

extension Connection {
    /// Logs a change of the installed apps, with the user, the process and its program. Any process of a user may
    /// change that user's installed apps, and this entry shows which process did so. This function must not run on the
    /// event loop's thread, because it inspects the process.
    func record(_ what: String, for identifier: String) {
        logger.notice(
            "\(what)",
            metadata: [
                "identifier": "\(Escaped(identifier))", "user": "\(user.number)", "host": "\(number)",
                "program": "\(Escaped(program ?? ""))",
            ])
    }

    /// The path of the client's program; nil if it cannot be found. Another process may have the process ID by now, so
    /// the path is valid only if the client has not ended.
    private var program: String? {
        guard number > 0, let path = try? Descriptor.directory("/proc/\(number)").linkTarget("exe") else { return nil }
        return process.hasEnded ? nil : path
    }
}

/// A connection's socket, until the socket is released. Closing the socket may take long, because its unread data may
/// contain descriptors of any kind. So the socket is closed on the lane of the user who sent that data.
final class OpenSocket: Sendable {
    /// The socket's number, for the event loop's watch. The watch ends before the socket is released.
    let number: Int32
    private let socket: Mutex<ControlSocket?>
    private let closing: Lane

    init(_ socket: consuming ControlSocket, closing: Lane) {
        number = socket.descriptor.number
        self.socket = Mutex(socket)
        self.closing = closing
    }

    deinit {
        letGo()
    }

    /// - Throws: `EPIPE` if the peer has closed the connection, or if the socket was released.
    func send(_ bytes: [UInt8]) throws(SystemError) {
        try socket.withLock { (socket) throws(SystemError) in
            guard try socket?.send(bytes) != nil else { throw SystemError("send", errno: EPIPE) }
        }
    }

    /// A duplicate of the socket, for a separate owner.
    /// - Throws: `EPIPE` if the socket was released.
    func duplicate() throws(SystemError) -> ControlSocket {
        try socket.withLock { (socket) throws(SystemError) in
            guard let copy = try socket?.descriptor.duplicate() else { throw SystemError("dup", errno: EPIPE) }
            return ControlSocket(owning: copy)
        }
    }

    func receive(atMost most: Int) throws(SystemError) -> ControlReception {
        try socket.withLock { (socket) throws(SystemError) in try socket?.receive(atMost: most) ?? .end }
    }

    func markMessages() throws(SystemError) {
        try socket.withLock { (socket) throws(SystemError) in try socket?.markMessages() }
    }

    func setPassRights(_ accept: Bool) {
        socket.withLock { _ = $0?.setPassRights(accept) }
    }

    /// Gives the socket to another owner; nil if the socket was released.
    func take() -> ControlSocket? { socket.withLock { $0.take() } }

    /// Shuts the socket down and closes it later, on the lane. The peer can still read the data that was sent. A second
    /// call has no effect.
    func letGo() {
        let number = socket.withLock { socket -> Int32? in
            guard let taken = socket.take() else { return nil }
            taken.shutDown()
            return taken.takeDescriptor().release()
        }
        guard let number else { return }
        closing.run { _ = Descriptor(owning: number) }
    }
}
