internal import AnnexChannel

/// What an answer may carry besides text and small values. Nothing comes that was not accepted beforehand.
public struct Acceptance: Sendable, Hashable {
    /// The most pieces of sealed memory.
    public let count: Int
    /// The most bytes, all pieces together.
    public let bytes: UInt64

    /// Text and small values only: the kernel refuses descriptors at the sender.
    public static let nothing = Acceptance(count: 0, bytes: 0)

    /// Up to `count` (at most 16) pieces of memory that nobody can change any more, of `bytes` bytes in all.
    public static func sealedMemory(count: Int, bytes: Int) -> Acceptance {
        Acceptance(count: max(0, min(count, 16)), bytes: UInt64(max(0, bytes)))
    }

    private init(count: Int, bytes: UInt64) {
        self.count = count
        self.bytes = bytes
    }

    var allowance: DescriptorAllowance { DescriptorAllowance(pieces: count, bytes: bytes) }
}
