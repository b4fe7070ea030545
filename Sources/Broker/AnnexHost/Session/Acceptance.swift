internal import AnnexChannel

/// The descriptors that an answer may carry, besides text and small values. An answer carries none that its request did
/// not accept.
public struct Acceptance: Sendable, Hashable {
    /// The most pieces of sealed memory in one answer.
    public let count: Int
    /// The most bytes in all pieces together.
    public let bytes: UInt64

    /// Text and small values only: the kernel does not let the extension send descriptors.
    public static let nothing = Acceptance(count: 0, bytes: 0)

    /// Up to `count` pieces of sealed memory, which no process can change any more, of `bytes` bytes in all. `count` is
    /// 16 at most.
    public static func sealedMemory(count: Int, bytes: Int) -> Acceptance {
        Acceptance(count: max(0, min(count, 16)), bytes: UInt64(max(0, bytes)))
    }

    private init(count: Int, bytes: UInt64) {
        self.count = count
        self.bytes = bytes
    }

    var allowance: DescriptorAllowance { DescriptorAllowance(pieces: count, bytes: bytes) }
}
