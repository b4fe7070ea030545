public import AnnexLinux
internal import Glibc
internal import Synchronization

/// A new channel: the host's end, ready for calls, and the descriptors that the extension inherits.
@frozen public struct ChannelEnds: ~Copyable, Sendable {
    public let host: HostEndpoint
    public var descriptors: ExtensionDescriptors
}

extension HostEndpoint {
    /// Makes a channel. The host creates, sizes and seals both memory regions before the extension exists. So the host
    /// needs no descriptor from the extension to make the channel.
    /// - Parameters:
    ///   - configuration: the capacity of the rings, the time limits and the budgets.
    ///   - handlers: the functions that receive what the extension sends unasked.
    ///   - eventLoop: the loop that reads the channel; nil: the program's shared loop.
    public static func make(
        configuration: ChannelConfiguration = ChannelConfiguration(), handlers: ChannelHandlers = ChannelHandlers(),
        eventLoop: EventLoop? = nil
    ) throws(SystemError) -> ChannelEnds {
        try make(
            configuration: configuration, handlers: handlers, eventLoop: eventLoop,
            mostDescriptors: ControlSocket.mostDescriptors)
    }

    /// - Parameter mostDescriptors: how many descriptors one request may hand over.
    static func make(
        configuration: ChannelConfiguration, handlers: ChannelHandlers, eventLoop: EventLoop?,
        mostDescriptors: Int
    ) throws(SystemError) -> ChannelEnds {
        try check(capacity: configuration.hostCapacity, arena: configuration.hostArena)
        try check(capacity: configuration.extensionCapacity, arena: configuration.extensionArena)
        let loop = if let eventLoop { eventLoop } else { try EventLoop.shared() }

        let (hostArena, extensionArena) = (configuration.hostArena, configuration.extensionArena)
        let hostSize = RegionLayout.size(capacity: configuration.hostCapacity, arena: hostArena)
        let hostMemory = try Descriptor.memfd("annex-host", size: Int64(hostSize))
        let own = OwnRegion(
            try map(hostMemory, size: hostSize, writable: true), capacity: configuration.hostCapacity, arena: hostArena)
        own.describe(configuration.regions)
        try hostMemory.addSeals(.oneWriter)

        let extensionSize = RegionLayout.size(capacity: configuration.extensionCapacity, arena: extensionArena)
        let extensionMemory = try Descriptor.memfd("annex-extension", size: Int64(extensionSize))
        try extensionMemory.addSeals(.fixedSize)
        // The mapping is writable for two reasons. The host writes the bell. A sleep on read-only memory takes the
        // kernel's slow path.
        let peer = PeerRegion(
            try map(extensionMemory, size: extensionSize, writable: true), capacity: configuration.extensionCapacity,
            arena: extensionArena)

        let sockets = try ControlSocketPair()
        // Until a call accepts descriptors, the kernel refuses to let the extension send any. Kernels before 6.16
        // cannot refuse them, so the host then closes each descriptor that arrives.
        _ = sockets.host.setPassRights(false)
        try sockets.host.markMessages()
        let hostRegion = try hostMemory.reopenedReadOnly()
        let control = try sockets.peer.descriptor.duplicate()
        let hostControl = ControlSocket(owning: try sockets.host.descriptor.duplicate())
        // The recorder is made last, so that a failure above leaves no recording file behind.
        let tap = try configuration.recording.map { (plan) throws(SystemError) in
            try FrameRecorder(plan, configuration: configuration)
        }
        let endpoint = HostEndpoint(
            configuration: configuration, handlers: handlers, loop: loop, control: hostControl, own: own, peer: peer,
            mostDescriptors: mostDescriptors, tap: tap)
        try endpoint.leader.begin()
        return ChannelEnds(
            host: endpoint,
            descriptors: ExtensionDescriptors(
                control: control, hostRegion: hostRegion, extensionRegion: extensionMemory))
    }

    private static func check(capacity: UInt32, arena: UInt32) throws(SystemError) {
        guard capacity >= WireFormat.smallestCapacity, capacity <= WireFormat.largestCapacity,
            capacity & (capacity - 1) == 0
        else {
            throw SystemError(
                "ring capacity \(capacity)", errno: EINVAL, remedy: "choose a power of two between 4 KiB and 256 MiB")
        }
        guard RegionLayout.isArena(arena) else {
            throw SystemError(
                "arena size \(arena)", errno: EINVAL, remedy: "choose a multiple of 64 KiB up to 4 MiB, or 0")
        }
    }

    private static func map(
        _ memory: borrowing Descriptor, size: Int, writable: Bool
    ) throws(SystemError) -> Mapping {
        let mapping = try Mapping(memory, size: size, writable: writable)
        try mapping.keepFromChildren()
        return mapping
    }
}

extension ChannelConfiguration {
    /// The sizes of both regions. The host's region states them for the extension.
    fileprivate var regions: RegionLayout.Description {
        RegionLayout.Description(
            host: (hostCapacity, hostArena), extension: (extensionCapacity, extensionArena),
            largestMessage: largestMessage)
    }
}
