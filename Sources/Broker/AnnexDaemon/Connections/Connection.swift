internal import AnnexBroker
internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel
internal import Logging
internal import Synchronization

/// One host's connection. Everything that comes through it is a stranger's: read within bounds, checked, and answered
/// by values; what breaks a rule ends the connection, and with it that host's extensions.
final class Connection: Sendable {
    /// An extension that this host asked for.
    struct Launched {
        var handle: (any ExtensionHandle)?
        /// What came while the launch was under way.
        var waiting: [ExtensionNotice] = []
        /// What had gone through its channel by the last of them.
        var counts: SessionStatistics?
        /// The requests that the broker knows to be open, so that there are never more than it should remember.
        var requests: Set<UInt64> = []
    }

    enum Phase {
        case awaitingHello, open, closed
    }

    struct State {
        var phase = Phase.awaitingHello
        /// What both speak, from the hello on.
        var version = ServiceWire.versions.upperBound
        /// The number of the last request; they rise.
        var last: UInt64 = 0
        var extensions: [UInt64: Launched] = [:]
        var unread = Outbox()
        var isFlushing = false
        var socketWatch: EventLoop.Watch?
        var processWatch: EventLoop.Watch?
        var handshake: EventLoop.Timer?
    }

    let state = Mutex(State())
    let socket: OpenSocket
    let process: ProcessHandle
    /// Of that process until its end; 0: none.
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

    /// Begins to read. The end of the process is looked for by its pidfd: a child that it forked may hold the socket.
    func begin() throws(SystemError) {
        let process = try loop.watch(process.descriptor.number) { [weak self] _ in self?.close("its process has ended")
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
            guard state.phase != .closed else { return true }
            state.socketWatch = watch
            return false
        }
        if isClosed { watch.cancel() }
    }

    private func checkHandshake() {
        if state.withLock({ $0.phase == .awaitingHello }) { close("no hello within \(limits.handshake)") }
    }

    // MARK: The end

    /// Breaks the connection off for what its client did, and says so.
    func refuse(_ what: String) {
        if user.mayTellOfBreak() {
            logger.notice("a connection was broken off for what its client did", metadata: words(what))
        }
        send(
            .refused(
                BrokerError(
                    .unreachable, "the connection was ended: \(what)", place: "annexd",
                    remedy: "host and daemon must be built with the same wire version")))
        close(what)
    }

    /// Ends the connection and every extension of it. Once is enough, twice is harmless.
    func close(_ why: String) {
        let closed: State? = state.withLock { state in
            guard state.phase != .closed else { return nil }
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
        logger.debug("a connection ended", metadata: words(why))
        for handle in closed.extensions.values.compactMap(\.handle) { Broker.end(ofGoneHost: handle) }
        _ = user.keep(-closed.unread.bytes)
        user.connectionEnded()
        onClose()
    }

    private func words(_ why: String) -> Logger.Metadata {
        ["user": "\(user.number)", "host": "\(number)", "why": "\(Escaped(why))"]
    }
}
