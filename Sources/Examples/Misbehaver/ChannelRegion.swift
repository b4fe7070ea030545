import AnnexChannel
import CMisbehaver

/// The extension's own region of the channel, mapped to be written against all rules.
@safe struct ChannelRegion {
    private let bytes: UnsafeMutableBufferPointer<UInt8>

    /// Where the word lies that says how much was written, and where the ring begins.
    private static let produced = 128
    private static let ring = 4_096

    init?() {
        var size = 0
        guard let start = unsafe misbehave_map_region(ChannelDescriptor.extensionRegion, &size), size > Self.ring else {
            return nil
        }
        unsafe bytes = UnsafeMutableBufferPointer(start: start, count: size)
    }

    /// Headers of impossible length all over the ring, and a position far beyond it; then wakes the host to read them.
    func writeNonsense() {
        for index in unsafe Self.ring..<bytes.count { unsafe bytes[index] = 0xF1 }
        for index in Self.produced..<Self.produced + 4 { unsafe bytes[index] = 0xF0 }
        guard let start = unsafe bytes.baseAddress else { return }
        _ = unsafe misbehave_wake(start + Self.produced)
        let doorbell: [UInt8] = [1]
        _ = unsafe doorbell.withUnsafeBytes {
            unsafe misbehave_write(ChannelDescriptor.control, $0.baseAddress, $0.count)
        }
    }
}
