public import AnnexLinux
internal import Glibc
internal import Synchronization

/// The two ends of a new channel whose extension uses a socket instead of shared memory.
@frozen public struct SocketEnds: ~Copyable, Sendable {
    public let host: HostEndpoint
    /// The extension's end, which is a sequenced-packet socket. By convention, it is descriptor 3 in the extension.
    public var socket: Descriptor
}

extension HostEndpoint {
    /// Makes a channel for an extension without shared memory: the same frames go over one socket, and each frame is
    /// one packet. All rules of the ring apply, because a thread writes the packets into a ring and the usual receiver
    /// reads them.
    ///
    /// Two threads carry the frames, and each message needs two more wake-ups. Use this for languages that cannot use
    /// shared memory. Speed is not a goal. Messages cannot carry descriptors in either direction.
    public static func makeOverSocket(
        configuration: ChannelConfiguration = ChannelConfiguration(), handlers: ChannelHandlers = ChannelHandlers(),
        eventLoop: EventLoop? = nil
    ) throws(SystemError) -> SocketEnds {
        var configuration = configuration
        // Without arenas, every message is one frame, and so every message is one packet.
        (configuration.hostArena, configuration.extensionArena) = (0, 0)
        let ends = try make(configuration: configuration, handlers: handlers, eventLoop: eventLoop, mostDescriptors: 0)
        let sockets = try DescriptorPair.sockets()
        let bridge = SocketBridge(socket: try sockets.first.duplicate(), leader: ends.host.leader)
        // The closure is set before any thread starts. So each thread ends together with the host's end of the channel,
        // even if a later step fails.
        ends.host.onClose { bridge.end() }
        // Each thread has its own mappings. The first thread only reads the host's ring, and the second thread only
        // writes the extension's ring.
        do throws(SystemError) {
            try bridge.carryToSocket(ends.descriptors.copy())
            try bridge.carryToRing(ends.descriptors.copy())
            return SocketEnds(host: ends.host, socket: try sockets.second.duplicate())
        } catch {
            ends.host.end(with: "the host could not set up the extension's socket")
            throw error
        }
    }
}

extension RingLeader {
    /// Ends the channel, because the extension's end of its socket is closed. Frames that arrived before the socket was
    /// closed are still handled.
    func socketHasEnded() {
        // If the host has closed the channel itself, there is nothing to do.
        guard state.calls.withLock({ $0.closed == nil }) else { return }
        control.peerHasClosed()
        end(with: "its end of the socket is closed")
    }
}

extension ExtensionDescriptors {
    fileprivate borrowing func copy() throws(SystemError) -> ExtensionDescriptors {
        ExtensionDescriptors(
            control: try control.duplicate(), hostRegion: try hostRegion.duplicate(),
            extensionRegion: try extensionRegion.duplicate())
    }
}

/// Carries frames between a channel's rings and a socket, in place of an extension with shared memory.
final class SocketBridge: Sendable {
    private let socket: Descriptor
    private weak let leader: RingLeader?
    private let loop: EventLoop
    private let isEnding = Atomic<Bool>(false)
    private let toSocket = StopGate()
    private let toRing = StopGate()

    init(socket: consuming Descriptor, leader: RingLeader) {
        self.socket = socket
        self.leader = leader
        loop = leader.state.loop
    }

    /// Ends both threads, which close their ends of the channel.
    func end() {
        guard !isEnding.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // Wakes the threads that wait on the socket in either direction.
        _ = shutdown(socket.number, Int32(SHUT_RDWR))
        stopWaiting()
    }

    /// Wakes the threads that wait for the host, because the host may be gone and may publish nothing more. Repeats the
    /// wake-up until neither thread sleeps in such a wait.
    private func stopWaiting() {
        let (reader, writer) = (toSocket.stop(), toRing.stop())
        if !reader || !writer { loop.schedule(after: .milliseconds(10)) { [self] in stopWaiting() } }
    }

    /// Starts the thread that reads frames from the host's ring and sends them to the socket.
    func carryToSocket(_ descriptors: consuming ExtensionDescriptors) throws(SystemError) {
        try start("annex-to-socket", descriptors: descriptors, stop: toSocket) {
            bridge, core throws(ExtensionFailure) in
            while !bridge.isEnding.load(ordering: .acquiring) {
                while let frame = try core.read() {
                    guard bridge.send(SocketPacket.bytes(frame)) else { return }
                }
                if !bridge.isEnding.load(ordering: .acquiring) { _ = try core.wait(until: nil) }
            }
        }
    }

    /// Starts the thread that receives frames from the socket and writes them into the extension's ring.
    func carryToRing(_ descriptors: consuming ExtensionDescriptors) throws(SystemError) {
        try start("annex-to-ring", descriptors: descriptors, stop: toRing) { bridge, core throws(ExtensionFailure) in
            var room = [UInt8](repeating: 0, count: SocketPacket.headerSize + core.largestFrame + 1)
            while let packet = bridge.receive(&room) {
                do throws(ChannelViolation) {
                    guard packet.count < room.count else {
                        throw .length(UInt64(packet.count), room: UInt32(clamping: core.largestFrame))
                    }
                    let (header, payload) = try SocketPacket.read(packet)
                    try bridge.pass(header, payload: payload, to: core)
                } catch {
                    bridge.leader?.state.close(for: error)
                    return
                }
            }
            bridge.leader?.socketHasEnded()
        }
    }

    private func pass(
        _ header: FrameHeader, payload: [UInt8], to core: ExtensionCore
    ) throws(ChannelViolation) {
        do throws(ExtensionFailure) {
            try core.send(header, payload: payload)
        } catch {
            if case .violated(let violation) = error { throw violation }
            end()
        }
    }

    private func start(
        _ name: String, descriptors: consuming ExtensionDescriptors, stop: StopGate,
        _ carry: @escaping @Sendable (SocketBridge, ExtensionCore) throws(ExtensionFailure) -> Void
    ) throws(SystemError) {
        let box = DescriptorBox(descriptors)
        _ = try WorkerThread(name) { [self] in
            guard let descriptors = box.take() else { return }
            do throws(ExtensionFailure) {
                let endpoint = try ExtensionEndpoint(descriptors)
                endpoint.core.wait(until: stop)
                try carry(self, endpoint.core)
            } catch {
                // Either the host's end is gone, or its memory cannot be mapped. In both cases, `end()` shuts the
                // socket down.
            }
            end()
        }
    }

    private func send(_ packet: [UInt8]) -> Bool {
        while true {
            // SAFETY: the call reads as many bytes as the array has.
            let sent = unsafe Glibc.send(socket.number, packet, packet.count, Int32(MSG_NOSIGNAL))
            if sent >= 0 { return true }
            guard errno == EINTR else { return false }
        }
    }

    /// Receives the next packet; returns nil once the socket is closed. The kernel drops descriptors that come with the
    /// packet.
    private func receive(_ room: inout [UInt8]) -> [UInt8]? {
        while true {
            // SAFETY: the call writes at most as many bytes as the array has.
            let count = unsafe recv(socket.number, &room, room.count, 0)
            if count > 0 { return Array(room.prefix(count)) }
            guard count < 0, errno == EINTR else { return nil }
        }
    }
}

/// A frame as one packet of the socket transport: kind u8, number of descriptors u8 (always 0), method u16, length u32,
/// call u64, then `length` bytes. Numbers have the least significant byte first. A request's bytes begin with its
/// terms.
enum SocketPacket {
    static let headerSize = 16

    static func bytes(_ frame: Frame) -> [UInt8] {
        var body = frame.payload
        if frame.kind == .request {
            // The terms allow no descriptors, even if the host would accept some, because a packet cannot carry any.
            body = WireBytes.bytes(frame.terms.limit) + [UInt8](repeating: 0, count: 16) + body
        }
        return [frame.kind.rawValue, 0] + WireBytes.bytes(frame.method) + WireBytes.bytes(UInt32(body.count))
            + WireBytes.bytes(frame.call) + body
    }

    /// Decodes an extension's packet. This checks the packet's form; the host's end of the channel checks its meaning.
    static func read(_ packet: [UInt8]) throws(ChannelViolation) -> (header: FrameHeader, payload: [UInt8]) {
        guard let kind = packet.first, let second = packet.dropFirst().first,
            let method = WireBytes.number(packet, at: 2, as: UInt16.self),
            let length = WireBytes.number(packet, at: 4, as: UInt32.self),
            let call = WireBytes.number(packet, at: 8, as: UInt64.self), second == 0
        else { throw .malformed(kind: packet.first ?? 0, length: packet.count) }
        guard let known = FrameKind(rawValue: kind) else { throw .unknownKind(kind) }
        let payload = Array(packet.dropFirst(headerSize))
        guard payload.count == Int(exactly: length) else { throw .malformed(kind: kind, length: packet.count) }
        return (FrameHeader(kind: known, method: method, call: call), payload)
    }
}
