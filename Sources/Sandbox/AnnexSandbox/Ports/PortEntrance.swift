internal import AnnexLinux
internal import AnnexRelay
internal import Synchronization

/// A listening socket whose connections are relayed. Its methods run on the thread of the relay's loop.
final class PortEntrance: Sendable {
    enum Kind: Sendable {
        /// The socket is in the sandbox's network. Connections go to this port of the machine.
        case allowed(UInt16)
        /// The socket is this machine's. Connections go to this port of the program.
        case published(UInt16)
    }

    let socket: RelaySocket
    let kind: Kind
    private let family: LoopbackFamily
    private let loop: EventLoop
    private let ready: @Sendable (PortEntrance) -> Void
    private let watch = Mutex<EventLoop.Watch?>(nil)

    /// - Parameter ready: called while connections wait and the entrance is not paused. It begins paused.
    init(
        _ socket: RelaySocket, kind: Kind, family: LoopbackFamily, on loop: EventLoop,
        ready: @escaping @Sendable (PortEntrance) -> Void
    ) {
        self.socket = socket
        self.kind = kind
        self.family = family
        self.loop = loop
        self.ready = ready
    }

    deinit { pause() }

    var isOfSandbox: Bool { if case .allowed = kind { true } else { false } }

    /// The addresses that a connection tries. A server often listens at only one of them.
    var families: [LoopbackFamily] { isOfSandbox ? family.andOther : LoopbackFamily.allCases }

    func resume() {
        watch.withLock { watch in
            if watch != nil { return }
            watch = try? loop.watch(socket.descriptor.number) { [weak self] _ in
                if let self { ready(self) }
            }
        }
    }

    func pause() { watch.withLock { $0.take() }?.cancel() }
}
