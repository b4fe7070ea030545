internal import AnnexLinux
internal import AnnexRelay
internal import Synchronization

/// One relayed connection: a socket that was accepted, a socket that connects, and the bytes between them.
///
/// All methods run on the thread of the relay's loop.
final class PortConnection: Sendable {
    /// The two networks between which a connection is relayed.
    enum Side: Sendable { case sandbox, machine }

    /// What the relay does for its connections.
    struct Service: Sendable {
        /// A socket that begins to connect; nil if that fails at once.
        let dial: @Sendable (LoopbackFamily) -> RelaySocket?
        /// Takes a socket that the connection does not need any more.
        let release: @Sendable (_ socket: RelaySocket, _ hasFailed: Bool) -> Void
        /// Called once, after the connection has released its sockets.
        let ended: @Sendable (PortConnection) -> Void
    }

    private struct State {
        var dialled: RelaySocket?
        var isConnected = false
        /// The addresses that were not tried yet.
        var untried: ArraySlice<LoopbackFamily>
        /// From the accepted socket to the other socket, and back.
        var forth = RelayFlow()
        var back = RelayFlow()
        var watches: [EventLoop.Watch] = []
        /// Whether only the bytes that the program sent are still carried.
        var isClosing = false
        var isOver = false
    }

    /// What comes after a turn.
    private enum Next {
        case wait, again, refused(RelaySocket), end(hasFailed: Bool)
    }

    private let accepted: RelaySocket
    /// The network from which the accepted connection came.
    private let origin: Side
    private let loop: EventLoop
    private let service: Service
    private let state: Mutex<State>

    init(
        _ accepted: RelaySocket, from origin: Side, trying families: [LoopbackFamily], on loop: EventLoop,
        service: Service
    ) {
        self.accepted = accepted
        self.origin = origin
        self.loop = loop
        self.service = service
        state = Mutex(State(untried: families[...]))
    }

    func begin() {
        if watch(accepted) { connectNext() } else { end(hasFailed: true) }
    }

    /// Carries only what the program still sends, and then ends the connection.
    func close() {
        state.withLock { $0.isClosing = true }
        turn()
    }

    /// Ends the connection at once, as an error for both peers.
    func abort() { end(hasFailed: true) }

    private func watch(_ socket: RelaySocket) -> Bool {
        let watch = try? loop.watchStream(socket.descriptor.number) { [weak self] in self?.turn() }
        guard let watch else { return false }
        state.withLock { $0.watches.append(watch) }
        return true
    }

    private func connectNext() {
        while let family = state.withLock({ $0.untried.popFirst() }) {
            guard let socket = service.dial(family) else { continue }
            state.withLock { state in
                state.dialled = socket
                state.isConnected = false
            }
            guard watch(socket) else { break }
            return turn()
        }
        end(hasFailed: true)
    }

    /// Carries bytes until all sockets have to wait, and at most for a while, so that other connections get a turn.
    private func turn() {
        switch state.withLock({ advance(&$0) }) {
        case .wait: break
        case .again: loop.execute { [weak self] in self?.turn() }
        case .refused(let socket):
            stopWatching(keeping: 1)
            service.release(socket, true)
            connectNext()
        case .end(let hasFailed): end(hasFailed: hasFailed)
        }
    }

    private func advance(_ state: inout State) -> Next {
        guard !state.isOver, let dialled = state.dialled else { return .wait }
        if !state.isConnected {
            if dialled.hasFailed() {
                state.dialled = nil
                return .refused(dialled)
            }
            guard dialled.isConnected else { return .wait }
            state.isConnected = true
        }
        let forth = state.forth.carry(from: accepted, to: dialled)
        let back = state.back.carry(from: dialled, to: accepted)
        // A flow that waits for its receiver does not read from its sender, and so does not learn of a reset.
        if forth == .failed || back == .failed || accepted.hasFailed() || dialled.hasFailed() {
            return .end(hasFailed: true)
        }
        let fromProgram = origin == .sandbox ? state.forth : state.back
        if state.forth.isOver && state.back.isOver || state.isClosing && fromProgram.isOver {
            return .end(hasFailed: false)
        }
        return forth == .goesOn || back == .goesOn ? .again : .wait
    }

    private func stopWatching(keeping count: Int = 0) {
        let watches = state.withLock { state in
            defer { state.watches.removeLast(max(0, state.watches.count - count)) }
            return state.watches.dropFirst(count)
        }
        for watch in watches { watch.cancel() }
    }

    private func end(hasFailed: Bool) {
        let (isFirst, dialled) = state.withLock { state in
            defer { state.isOver = true }
            return (!state.isOver, state.dialled.take())
        }
        guard isFirst else { return }
        stopWatching()
        service.release(accepted, hasFailed)
        if let dialled { service.release(dialled, hasFailed) }
        service.ended(self)
    }
}
