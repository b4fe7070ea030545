internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel
internal import Synchronization

/// A daemon's answer to one request. nil means that it did not come in time, or that the asking task was cancelled.
typealias PendingAnswer = Milestone<Result<ServiceAnswer, BrokerError>?>

/// The host's end of its connection to a daemon. The event loop's thread reads answers and events. Callers wait for a
/// bounded time, and not at all once the daemon has ended.
final class DaemonLink: Sendable {
    struct State {
        /// Why no request can be sent any more; nil while it can.
        var end: BrokerError?
        /// Whether no event can arrive any more either.
        var isOver = false
        /// The version of the protocol that both sides use.
        var version = ServiceWire.versions.upperBound
        var last: UInt64 = 0
        var answers: [UInt64: PendingAnswer] = [:]
        var extensions: [UInt64: RemoteExtension] = [:]
        /// Packets for which the socket has no room yet, and the extensions with reports that follow behind them.
        var waiting: [[UInt8]] = []
        var changed: [UInt64] = []
        var isFlushing = false
    }

    let state = Mutex(State())
    let socket: ControlSocket
    let path: String
    let patience: Duration
    let loop: EventLoop
    let watch = Mutex<EventLoop.Watch?>(nil)

    /// The most packets that wait for room. A daemon that leaves more unread counts as unreachable.
    static let mostWaiting = 8_192

    init(_ socket: consuming ControlSocket, path: String, patience: Duration, loop: EventLoop) {
        self.socket = socket
        self.path = path
        self.patience = patience
        self.loop = loop
    }

    func begin() throws(SystemError) {
        let token = try loop.watch(socket.descriptor.number) { [weak self] _ in self?.receive() }
        watch.withLock { $0 = token }
    }
}
