internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import Glibc
internal import Synchronization

extension Connection {
    /// Sends a packet, or keeps it until the socket has room. If too many packets are kept, or a packet is kept for too
    /// long, the connection is closed, because the host does not read.
    func send(_ packet: DaemonPacket) {
        guard let bytes = try? packet.encoded() else { return close("a packet of the daemon is too long") }
        let isTooMuch = state.withLock { state in
            guard !state.phase.isClosed else { return false }
            let before = state.unread.bytes
            state.unread.append(bytes)
            flush(&state)
            let isRoom = user.keep(state.unread.bytes - before)
            return state.unread.count > limits.unreadPackets || !isRoom
        }
        if isTooMuch { close("the host does not read the packets that it gets") }
    }

    /// Informs the host that the installed apps or extensions have changed. The host is informed only if its version
    /// knows such notices.
    func announce(_ number: UInt64) {
        let isDue = state.withLock { state in
            guard state.phase.isOpen, state.version >= ServiceWire.firstWithChanges, !state.hasUnsentNews else {
                return false
            }
            state.hasUnsentNews = true
            return true
        }
        if isDue { send(.changed(number)) }
    }

    /// Whether every packet was sent.
    var isFlushed: Bool { state.withLock { $0.unread.isEmpty } }

    private func flush(_ state: inout State) {
        while let next = state.unread.first {
            do throws(SystemError) {
                try socket.send(next)
            } catch {
                // Any other error occurs again when the socket is read, and ends the connection there.
                guard error.errno == EAGAIN else { return state.unread.clear() }
                state.unread.isStuck(at: MonotonicClock.now())
                return flushLater(&state)
            }
            state.unread.removeFirst()
        }
        state.hasUnsentNews = false
    }

    private func flushLater(_ state: inout State) {
        guard !state.isFlushing else { return }
        state.isFlushing = true
        loop.schedule(after: .milliseconds(20)) { [weak self] in self?.flushOnceMore() }
    }

    private func flushOnceMore() {
        let limit = MonotonicClock.nanoseconds(limits.unread)
        let isStuck = state.withLock { state in
            state.isFlushing = false
            guard !state.phase.isClosed else { return false }
            let before = state.unread.bytes
            flush(&state)
            _ = user.keep(state.unread.bytes - before)
            return state.unread.isStuck(at: MonotonicClock.now(), longerThan: limit)
        }
        if isStuck { close("the host has read nothing for \(limits.unread)") }
    }
}

/// Packets that wait in order because a connection's socket has no room yet. This type reads no clock: the caller
/// passes the moments.
struct Outbox: Sendable {
    private var packets: [[UInt8]] = []
    private(set) var bytes = 0
    /// The moment since which nothing could be sent; nil if the last attempt succeeded.
    private var stuckSince: UInt64?

    var count: Int { packets.count }
    var isEmpty: Bool { packets.isEmpty }
    var first: [UInt8]? { packets.first }

    mutating func append(_ packet: [UInt8]) {
        packets.append(packet)
        bytes += packet.count
    }

    /// Removes the first packet, which was sent.
    mutating func removeFirst() {
        bytes -= packets.removeFirst().count
        stuckSince = nil
    }

    /// Records that the first packet could not be sent.
    mutating func isStuck(at now: UInt64) {
        stuckSince = stuckSince ?? now
    }

    /// - Returns: whether nothing could be sent for longer than `limit` nanoseconds.
    func isStuck(at now: UInt64, longerThan limit: UInt64) -> Bool {
        stuckSince.map { now &- $0 > limit } ?? false
    }

    mutating func clear() {
        self = Outbox()
    }
}
