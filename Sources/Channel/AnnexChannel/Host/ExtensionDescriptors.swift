public import AnnexLinux

/// The extension's ends of a channel. The broker gives them the numbers of `ChannelDescriptor` inside the sandbox and
/// lets go of its own copies once the extension runs.
@frozen public struct ExtensionDescriptors: ~Copyable, Sendable {
    /// The extension's end of the control socket.
    public var control: Descriptor
    /// The region that the host writes, through an open file description that can only read.
    public var hostRegion: Descriptor
    /// The region that the extension writes; size and seals are final.
    public var extensionRegion: Descriptor

    public init(
        control: consuming Descriptor, hostRegion: consuming Descriptor, extensionRegion: consuming Descriptor
    ) {
        self.control = control
        self.hostRegion = hostRegion
        self.extensionRegion = extensionRegion
    }
}
