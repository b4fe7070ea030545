internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import Glibc
internal import Synchronization

extension Connection {
    /// Sends a packet, or keeps it until the socket has room. If too much is kept, or for too long, the host does not
    /// read, and the connection is closed.
    func send(_ packet: DaemonPacket) {
        guard let bytes = try? packet.encoded() else { return close("a packet of ours is too long") }
        let isTooMuch = state.withLock { state in
            guard state.phase != .closed else { return false }
            let before = state.unread.bytes
            state.unread.append(bytes)
            flush(&state)
            let isRoom = user.keep(state.unread.bytes - before)
            return state.unread.count > limits.unreadPackets || !isRoom
        }
        if isTooMuch { close("it does not read what it is sent") }
    }

    /// Whether every packet was sent.
    var isFlushed: Bool { state.withLock { $0.unread.isEmpty } }

    private func flush(_ state: inout State) {
        while let next = state.unread.first {
            do throws(SystemError) {
                try socket.send(next)
            } catch {
                // Any other error shows again when the socket is read, and ends the connection there.
                guard error.errno == EAGAIN else { return state.unread.clear() }
                state.unread.isStuck(at: MonotonicClock.now())
                return flushLater(&state)
            }
            state.unread.removeFirst()
        }
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
            guard state.phase != .closed else { return false }
            let before = state.unread.bytes
            flush(&state)
            _ = user.keep(state.unread.bytes - before)
            return state.unread.isStuck(at: MonotonicClock.now(), longerThan: limit)
        }
        if isStuck { close("it has read nothing for \(limits.unread)") }
    }
}
