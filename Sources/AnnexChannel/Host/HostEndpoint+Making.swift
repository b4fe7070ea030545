public import AnnexLinux
internal import Glibc
internal import Synchronization

extension HostEndpoint {
    /// Makes a channel. Both regions are made, sized and sealed here, before the extension exists, so that no
    /// descriptor ever has to come from it.
    /// - Parameter eventLoop: the program's one loop where nothing else is given.
    public static func make(
        configuration: ChannelConfiguration = ChannelConfiguration(), handlers: ChannelHandlers = ChannelHandlers(),
        eventLoop: EventLoop? = nil
    ) throws(SystemError) -> ChannelEnds {
        try make(configuration, handlers, eventLoop, mostDescriptors: ControlSocket.mostDescriptors)
    }

    /// - Parameter mostDescriptors: what one request may hand over.
    static func make(
        _ configuration: ChannelConfiguration, _ handlers: ChannelHandlers, _ eventLoop: EventLoop?,
        mostDescriptors: Int
    ) throws(SystemError) -> ChannelEnds {
        try check(configuration.hostCapacity)
        try check(configuration.extensionCapacity)
        let loop = if let eventLoop { eventLoop } else { try EventLoop.shared() }

        let hostMemory = try regionMemory("annex-host", configuration.hostCapacity)
        let own = OwnRegion(
            try map(hostMemory, configuration.hostCapacity, writable: true), capacity: configuration.hostCapacity)
        own.describe(hostCapacity: configuration.hostCapacity, extensionCapacity: configuration.extensionCapacity)
        try hostMemory.addSeals(.oneWriter)

        let extensionMemory = try regionMemory("annex-extension", configuration.extensionCapacity)
        try extensionMemory.addSeals(.fixedSize)
        let peer = PeerRegion(
            try map(extensionMemory, configuration.extensionCapacity, writable: false),
            capacity: configuration.extensionCapacity)

        let sockets = try ControlSocketPair()
        // Refused at the sender until a call accepts something; kernels before 6.16 cannot, there it is closed here.
        _ = sockets.host.setPassRights(false)
        let hostRegion = try hostMemory.reopenedReadOnly()
        let control = try sockets.peer.descriptor.duplicate()
        let hostControl = ControlSocket(owning: try sockets.host.descriptor.duplicate())
        // Last, so that no file is left where nothing comes of the channel.
        let recorder = try configuration.recording.map { (plan) throws(SystemError) in
            try FrameRecorder(plan, configuration)
        }
        let endpoint = HostEndpoint(
            configuration: configuration, handlers: handlers, loop: loop, control: hostControl, own: own, peer: peer,
            mostDescriptors: mostDescriptors, recorder: recorder)
        try endpoint.begin()
        return ChannelEnds(
            host: endpoint,
            descriptors: ExtensionDescriptors(
                control: control, hostRegion: hostRegion, extensionRegion: extensionMemory))
    }

    private static func check(_ capacity: UInt32) throws(SystemError) {
        guard capacity >= WireFormat.smallestCapacity, capacity <= WireFormat.largestCapacity,
            capacity & (capacity - 1) == 0
        else {
            throw SystemError(
                "ring capacity \(capacity)", errno: EINVAL, mend: "a power of two between 4 KiB and 256 MiB")
        }
    }

    private static func regionMemory(_ name: String, _ capacity: UInt32) throws(SystemError) -> Descriptor {
        try Descriptor.memfd(name, size: Int64(RegionLayout.size(capacity: capacity)))
    }

    private static func map(
        _ memory: borrowing Descriptor, _ capacity: UInt32, writable: Bool
    ) throws(SystemError) -> Mapping {
        let mapping = try Mapping(memory, size: RegionLayout.size(capacity: capacity), writable: writable)
        try mapping.keepFromChildren()
        return mapping
    }

    /// Lets the event loop read whenever nobody else does.
    private func begin() throws(SystemError) {
        receiving.withLock { askForDoorbell(&$0) }
        let token = try loop.watch(control.descriptor.number) { [weak self] _ in self?.controlIsReady() }
        watch.withLock { $0 = token }
    }
}
