internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel
internal import Synchronization

/// What a daemon has answered; nil: it did not in time, or the task that asked was cancelled.
typealias PendingAnswer = Milestone<Result<ServiceAnswer, BrokerError>?>

/// A host's end of its connection to a daemon. Answers and events are read on the event loop's thread; a caller waits for
/// a bounded time, and for no daemon that has gone.
final class DaemonLink: Sendable {
    struct State {
        /// Why nothing can be asked any more.
        var end: BrokerError?
        /// Whether nothing comes any more either.
        var isOver = false
        /// What both speak.
        var version = ServiceWire.versions.upperBound
        var last: UInt64 = 0
        var answers: [UInt64: PendingAnswer] = [:]
        var extensions: [UInt64: RemoteExtension] = [:]
        /// What the socket has no room for yet, and the extensions of which there is news behind it.
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

    /// A daemon that reads so little is none.
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
