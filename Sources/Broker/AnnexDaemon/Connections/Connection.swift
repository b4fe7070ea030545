internal import AnnexBroker
internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel
internal import Logging
internal import Synchronization

/// A host's connection to the daemon. Everything that arrives on it is untrusted: it is read within limits and checked.
/// A host that breaks a rule loses the connection, and all its extensions end.
final class Connection: Sendable {
    /// An extension that this host launched.
    struct Launched {
        var handle: (any ExtensionHandle)?
        /// Reports that arrived while the launch was under way.
        var waiting: [ExtensionNotice] = []
        /// The counts of the channel that came with the last of these reports.
        var counts: SessionStatistics?
        /// The requests that the broker counts as open. They are kept here to limit how many the broker must remember.
        var requests: Set<UInt64> = []
    }

    enum Phase {
        case awaitingHello, open, closed
    }

    struct State {
        var phase = Phase.awaitingHello
        /// The version that both sides use, from the hello on.
        var version = ServiceWire.versions.upperBound
        /// The number of the last request; the numbers rise.
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
    /// The client's process ID, which is valid until the process ends; 0 if it has none here.
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

    /// Begins to read. A pidfd reports the end of the client's process, because a child that it forked may keep the
    /// socket open.
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

    /// Closes the connection because its client broke a rule, after sending the reason.
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

    /// Closes the connection and ends all its extensions. A second call has no effect.
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

extension Connection {
    /// Logs a change of the installed apps: the user, the process and its program. Any process of a user may change
    /// that user's installed apps, and this entry shows which one did. It must not run on the event loop's thread,
    /// because it inspects the process.
    func record(_ what: String, _ identifier: String) {
        logger.notice(
            "\(what)",
            metadata: [
                "identifier": "\(Escaped(identifier))", "user": "\(user.number)", "host": "\(number)",
                "program": "\(Escaped(program ?? ""))",
            ])
    }

    /// The path of the client's program; nil if it cannot be found. Another process may have the process ID by now, so
    /// the path only counts if the client has not ended.
    private var program: String? {
        guard number > 0, let path = try? Descriptor.directory("/proc/\(number)").linkTarget("exe") else { return nil }
        return process.hasEnded ? nil : path
    }
}
