import AnnexChannel
import CMisbehaver

/// The extension's own region of the channel. It is mapped a second time, so that the extension can write to it against
/// the rules.
@safe struct ChannelRegion {
    private let bytes: UnsafeMutableBufferPointer<UInt8>

    /// The offset of the ring, and the alignment of its frames.
    private static let ring = 4_096
    private static let line = 64

    init?() {
        var size = 0
        guard let start = unsafe misbehave_map_region(ChannelDescriptor.extensionRegion, &size), size > Self.ring else {
            return nil
        }
        unsafe bytes = UnsafeMutableBufferPointer(start: start, count: size)
    }

    /// Fills the ring with headers of invalid kind and length. Then wakes the host to read them, in every way that the
    /// host can sleep.
    func writeNonsense() {
        for index in unsafe Self.ring..<bytes.count { unsafe bytes[index] = 0xF1 }
        guard let start = unsafe bytes.baseAddress else { return }
        for place in unsafe stride(from: Self.ring, to: bytes.count, by: Self.line) {
            _ = unsafe misbehave_wake(start + place)
        }
        let doorbell: [UInt8] = [1]
        _ = unsafe doorbell.withUnsafeBytes {
            unsafe misbehave_write(ChannelDescriptor.control, $0.baseAddress, $0.count)
        }
    }
}
