/// What an answer may hand over besides its payload: sealed memory only.
public struct DescriptorAllowance: Sendable, Hashable {
    /// The most pieces; at most 16.
    public var pieces: Int
    /// The most bytes, all pieces together.
    public var bytes: UInt64

    /// Nothing may come.
    public static let none = DescriptorAllowance(pieces: 0, bytes: 0)

    public init(pieces: Int, bytes: UInt64) {
        self.pieces = pieces
        self.bytes = bytes
    }
}
