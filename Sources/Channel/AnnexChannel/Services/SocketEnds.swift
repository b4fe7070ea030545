public import AnnexLinux
internal import Synchronization

/// A new channel whose extension speaks over a socket.
@frozen public struct SocketEnds: ~Copyable, Sendable {
    public let host: HostEndpoint
    /// The extension's end: a sequenced-packet socket, by custom its descriptor 3.
    public var socket: Descriptor
}

extension HostEndpoint {
    /// Makes a channel for an extension without shared memory: the same frames, one packet each, over one socket. Every
    /// rule of the ring holds, since what comes is put into one and read by the same receiver.
    ///
    /// Two threads carry the frames, and each message takes two more wake-ups: this is for languages that have nothing
    /// better, not for speed. Nothing can be handed over in either direction.
    public static func makeOverSocket(
        configuration: ChannelConfiguration = ChannelConfiguration(), handlers: ChannelHandlers = ChannelHandlers(),
        eventLoop: EventLoop? = nil
    ) throws(SystemError) -> SocketEnds {
        var configuration = configuration
        // One packet is one frame.
        (configuration.hostArena, configuration.extensionArena) = (0, 0)
        let ends = try make(configuration, handlers, eventLoop, mostDescriptors: 0)
        let sockets = try DescriptorPair.sockets()
        let bridge = SocketBridge(socket: try sockets.first.duplicate(), leader: ends.host.leader)
        // Before any thread starts, so that each ends with the host, whatever fails from here on.
        ends.host.onClose { bridge.end() }
        // Each thread has a view of its own: one only reads the host's ring, the other only writes the extension's.
        do throws(SystemError) {
            try bridge.carryToSocket(ends.descriptors.copy())
            try bridge.carryToRing(ends.descriptors.copy())
            return SocketEnds(host: ends.host, socket: try sockets.second.duplicate())
        } catch {
            ends.host.end(with: "no means for its socket")
            throw error
        }
    }
}

extension RingLeader {
    /// The extension's end of its socket is closed, which is the channel's end. What came before it still counts.
    func socketHasEnded() {
        // Unless it is this side that has ended it.
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
