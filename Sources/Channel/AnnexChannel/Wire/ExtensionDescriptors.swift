public import AnnexLinux
internal import Synchronization

/// The extension's end of a channel, as three descriptors. Inside the sandbox, the descriptors have the numbers of
/// `ChannelDescriptor`, which the broker assigns. The broker closes its own copies as soon as the extension runs.
@frozen public struct ExtensionDescriptors: ~Copyable, Sendable {
    /// The extension's end of the control socket.
    public var control: Descriptor
    /// The memory region that the host writes. The open file description is read-only.
    public var hostRegion: Descriptor
    /// The memory region that the extension writes. Its size and seals are final.
    public var extensionRegion: Descriptor

    public init(
        control: consuming Descriptor, hostRegion: consuming Descriptor, extensionRegion: consuming Descriptor
    ) {
        self.control = control
        self.hostRegion = hostRegion
        self.extensionRegion = extensionRegion
    }
}

/// The fixed numbers of the descriptors inside an extension's process.
public enum ChannelDescriptor {
    /// The control socket.
    public static let control: Int32 = 3
    /// The memory region that the host writes, open for reading only.
    public static let hostRegion: Int32 = 4
    /// The memory region that the extension writes.
    public static let extensionRegion: Int32 = 5
}

/// The bytes of a control message that carries descriptors. They state the call to which the descriptors belong, and
/// the number of descriptors.
struct DescriptorTag: Sendable, Hashable {
    let call: UInt64
    let count: UInt32

    static let mark: UInt32 = 0x4446_4E41
    /// A bit that distinguishes the numbers of the extension's calls from the numbers of the host's calls.
    private static let hosted: UInt64 = 1 << 62

    /// Returns the number that a tag contains for a call.
    /// - Parameter isHosted: whether the extension made the call and the descriptors come with the answer to it.
    static func call(_ call: UInt64, isHosted: Bool) -> UInt64 { isHosted ? call | hosted : call }
    static let size = 16

    func encoded() -> [UInt8] {
        WireBytes.bytes(DescriptorTag.mark) + WireBytes.bytes(count) + WireBytes.bytes(call)
    }

    init(call: UInt64, count: UInt32) {
        self.call = call
        self.count = count
    }
}

/// Passes descriptors to another thread, once.
package final class DescriptorBox: Sendable {
    private let descriptors: Mutex<ExtensionDescriptors?>

    package init(_ descriptors: consuming ExtensionDescriptors) {
        self.descriptors = Mutex(descriptors)
    }

    package func take() -> ExtensionDescriptors? { descriptors.withLock { $0.take() } }
}
