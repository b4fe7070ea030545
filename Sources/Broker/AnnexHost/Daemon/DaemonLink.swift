internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel
internal import Glibc
internal import Synchronization

/// A daemon's answer to one request. It is nil if the answer did not come in time, or if the asking task was cancelled.
typealias PendingAnswer = Milestone<Result<ServiceAnswer, BrokerError>?>

/// The host's end of its connection to a daemon. The event loop's thread reads answers and events. Callers wait for
/// answers for a limited time. After the daemon has ended, callers do not wait at all.
final class DaemonLink: Sendable {
    struct State {
        /// Why no request can be sent any more. It is nil while requests can be sent.
        var end: BrokerError?
        /// Whether the connection is over. After that, no event can arrive and no request can be sent.
        var isOver = false
        /// The version of the protocol that both sides use.
        var version = ServiceWire.versions.upperBound
        var last: UInt64 = 0
        var answers: [UInt64: PendingAnswer] = [:]
        var window = RequestWindow()
        var extensions: [UInt64: RemoteExtension] = [:]
        /// Packets for which the socket has no room yet. `changed` lists the extensions whose reports follow after
        /// these packets.
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
    /// The changes that the daemon announces.
    let feed = ChangeFeed()

    /// The most packets that wait for room. If a daemon leaves more packets unread, it counts as unreachable.
    static let mostWaiting = 8_192

    init(_ socket: consuming ControlSocket, path: String, patience: Duration, loop: EventLoop) {
        self.socket = socket
        self.path = path
        self.patience = patience
        self.loop = loop
    }

    /// Whether the version of the protocol that both sides use is this version or a later version.
    func supports(_ version: UInt64) -> Bool { state.withLock { $0.version >= version } }

    /// The version of the protocol that both sides use.
    var version: UInt64 { state.withLock { $0.version } }

    func begin() throws(SystemError) {
        let token = try loop.watch(socket.descriptor.number) { [weak self] _ in self?.receive() }
        watch.withLock { $0 = token }
    }
}

// Sending a host's report never blocks. If a report does not fit in the socket, it is kept in order. It is sent as soon
// as there is room.

extension DaemonLink {
    /// Reports something about an extension to the daemon. If the extension has ended, nothing happens.
    func report(_ number: UInt64, notice: ExtensionNotice) {
        let isTooMuch = state.withLock { state in
            guard !state.isOver, let counts = state.extensions[number]?.counts else { return false }
            let packet = HostPacketMessage(.notice(number, notice, counts: counts))
            guard let bytes = try? packet.encoded(within: ServiceWire.fromHost) else { return false }
            state.waiting.append(bytes)
            flush(&state)
            return state.waiting.count > Self.mostWaiting
        }
        if isTooMuch { close(unanswered(after: patience)) }
    }

    /// Records a change of an extension's open requests. The daemon gets the resulting reports as soon as there is
    /// room.
    func record(_ number: UInt64, _ change: (inout RemoteExtension) -> Void) {
        state.withLock { state in
            guard !state.isOver, var known = state.extensions[number] else { return }
            let isWaiting = known.news != nil
            change(&known)
            state.extensions[number] = known
            if known.news != nil, !isWaiting { state.changed.append(number) }
            flush(&state)
        }
    }

    /// Sends as much as the socket has room for. A timer sends the other packets later. If sending fails, the code that
    /// reads the socket ends the connection.
    private func flush(_ state: inout State) {
        while let next = state.waiting.first {
            guard (try? pass(next, descriptors: DescriptorList())) ?? true else { return flushLater(&state) }
            state.waiting.removeFirst()
        }
        while let number = state.changed.first {
            while let news = state.extensions[number]?.news, let counts = state.extensions[number]?.counts {
                guard (try? pass(.notice(number, news, counts: counts))) ?? true else { return flushLater(&state) }
                state.extensions[number]?.markReported()
            }
            state.changed.removeFirst()
        }
    }

    private func flushLater(_ state: inout State) {
        guard !state.isFlushing else { return }
        state.isFlushing = true
        loop.schedule(after: .milliseconds(2)) { [weak self] in
            self?.state.withLock { state in
                state.isFlushing = false
                self?.flush(&state)
            }
        }
    }

    /// - Returns: false if the socket has no room.
    func pass(
        _ packet: HostPacket, descriptors: borrowing DescriptorList = DescriptorList()
    ) throws(BrokerError) -> Bool {
        let bytes: [UInt8]
        do throws(EncodingFailure) {
            bytes = try HostPacketMessage(packet).encoded(within: ServiceWire.fromHost)
        } catch {
            throw BrokerError(.system, what: "the request cannot be sent: \(error)", place: path)
        }
        return try pass(bytes, descriptors: descriptors)
    }

    /// - Returns: false if the socket has no room.
    func pass(_ bytes: [UInt8], descriptors: borrowing DescriptorList) throws(BrokerError) -> Bool {
        do throws(SystemError) {
            try socket.send(bytes, descriptors)
            return true
        } catch {
            if error.errno == EAGAIN || error.errno == EWOULDBLOCK { return false }
            throw BrokerError(.unreachable, what: "\(error)", place: path, remedy: gone.remedy)
        }
    }
}
