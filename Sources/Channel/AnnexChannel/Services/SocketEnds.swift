public import AnnexLinux
internal import Synchronization

/// A new channel whose extension uses a socket instead of shared memory.
@frozen public struct SocketEnds: ~Copyable, Sendable {
    public let host: HostEndpoint
    /// The extension's end: a sequenced-packet socket, by convention its descriptor 3.
    public var socket: Descriptor
}

extension HostEndpoint {
    /// Makes a channel for an extension without shared memory: the same frames go over one socket, one packet each. All
    /// rules of the ring apply, because the packets are written into a ring and read by the same receiver.
    ///
    /// Two threads carry the frames, and each message needs two more wake-ups. Use this for languages that cannot use
    /// shared memory; it is not meant to be fast. Nothing can be handed over in either direction.
    public static func makeOverSocket(
        configuration: ChannelConfiguration = ChannelConfiguration(), handlers: ChannelHandlers = ChannelHandlers(),
        eventLoop: EventLoop? = nil
    ) throws(SystemError) -> SocketEnds {
        var configuration = configuration
        // Without arenas, every message is one frame and so one packet.
        (configuration.hostArena, configuration.extensionArena) = (0, 0)
        let ends = try make(configuration, handlers, eventLoop, mostDescriptors: 0)
        let sockets = try DescriptorPair.sockets()
        let bridge = SocketBridge(socket: try sockets.first.duplicate(), leader: ends.host.leader)
        // Before any thread starts, so that each ends with the host, whatever fails from here on.
        ends.host.onClose { bridge.end() }
        // Each thread has mappings of its own: one only reads the host's ring, the other only writes the extension's.
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
    /// Ends the channel, because the extension's end of its socket is closed. Frames that came before it still count.
    func socketHasEnded() {
        // Nothing to do if this side has closed the channel itself.
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
