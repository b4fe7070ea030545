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

/// The descriptors' fixed numbers inside an extension's process.
public enum ChannelDescriptor {
    /// The control socket.
    public static let control: Int32 = 3
    /// The region that the host writes, open for reading only.
    public static let hostRegion: Int32 = 4
    /// The region that the extension writes.
    public static let extensionRegion: Int32 = 5
}

/// The bytes of a control message that carries descriptors: which call they belong to, and how many there are.
struct DescriptorTag: Sendable, Hashable {
    let call: UInt64
    let count: UInt32

    static let mark: UInt32 = 0x4446_4E41
    static let size = 16

    func encoded() -> [UInt8] {
        WireBytes.bytes(DescriptorTag.mark) + WireBytes.bytes(count) + WireBytes.bytes(call)
    }

    init(call: UInt64, count: UInt32) {
        self.call = call
        self.count = count
    }
}
