internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel
internal import AnnexService
internal import Synchronization

/// A host's end of its connection to a daemon. Answers and events are read on the event loop's thread; whoever asks
/// waits for a bounded time, and nobody waits for a daemon that has gone.
final class DaemonLink: Sendable {
    struct State {
        /// Why nothing can be asked any more.
        var end: ServiceError?
        /// Whether nothing comes any more either.
        var isOver = false
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

    // MARK: Asking

    /// Asks for something and waits for the answer.
    /// - Parameter least: how long at least.
    func ask(
        _ request: ServiceRequest, _ descriptors: consuming DescriptorList = DescriptorList(),
        for least: Duration = .zero
    ) throws(ServiceError) -> ServiceAnswer {
        let (_, answer) = try exchange(request, descriptors, nil, within: max(least, patience))
        return answer
    }

    /// Asks for a launch.
    /// - Returns: the extension's number.
    func launch(
        _ request: ServiceRequest, _ descriptors: consuming DescriptorList, _ launched: RemoteExtension
    ) throws(ServiceError) -> UInt64 {
        try exchange(request, descriptors, launched, within: patience).number
    }

    private func exchange(
        _ request: ServiceRequest, _ descriptors: consuming DescriptorList, _ launched: RemoteExtension?,
        within limit: Duration
    ) throws(ServiceError) -> (number: UInt64, answer: ServiceAnswer) {
        guard !loop.isCurrent else {
            throw ServiceError(
                .system, "a daemon cannot be asked from the event loop's thread, which its answer comes by",
                place: path, mend: "ask from another thread or task")
        }
        let deadline = MonotonicClock.deadline(after: limit)
        let pending = PendingAnswer()
        let number = try send(request, descriptors, pending, launched, until: deadline)
        guard let result = pending.wait(until: deadline) else { throw giveUp(number, after: limit) }
        switch result {
        case .success(.failed(let error)), .failure(let error):
            forget(number)
            throw error
        case .success(let answer): return (number, answer)
        }
    }

    /// Numbers rise in the order in which they are sent, so each is given when there is room for its packet.
    private func send(
        _ request: ServiceRequest, _ descriptors: borrowing DescriptorList, _ pending: PendingAnswer,
        _ launched: RemoteExtension?, until deadline: UInt64
    ) throws(ServiceError) -> UInt64 {
        while MonotonicClock.now() < deadline {
            let number: UInt64? = try state.withLock { (state) throws(ServiceError) in
                if let end = state.end { throw end }
                let number = state.last + 1
                guard state.waiting.isEmpty, try pass(.request(number, request), descriptors) else { return nil }
                state.last = number
                state.answers[number] = pending
                if let launched { state.extensions[number] = launched }
                return number
            }
            if let number { return number }
            MonotonicClock.pause()
        }
        throw unanswered(after: patience)
    }

    /// - Returns: false where the socket has no room.
    func pass(
        _ packet: HostPacket, _ descriptors: borrowing DescriptorList = DescriptorList()
    ) throws(ServiceError) -> Bool {
        let bytes: [UInt8]
        do throws(EncodingFailure) {
            bytes = try HostPacketMessage(packet).encoded(within: ServiceWire.fromHost)
        } catch {
            throw ServiceError(.system, "cannot be asked: \(error)", place: path)
        }
        return try pass(bytes, descriptors)
    }

    /// What the daemon has launched meanwhile nobody wants.
    private func giveUp(_ number: UInt64, after limit: Duration) -> ServiceError {
        tell(number, .dismissed(completed: false))
        forget(number)
        return unanswered(after: limit)
    }

    private func forget(_ number: UInt64) {
        let forgotten = state.withLock { state in
            (state.answers.removeValue(forKey: number), state.extensions.removeValue(forKey: number))
        }
        withExtendedLifetime(forgotten) {}
    }
}
