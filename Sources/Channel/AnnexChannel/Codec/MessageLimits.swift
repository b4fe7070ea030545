/// What one message may ask of its reader. A writer holds itself to the same limits, so that what was
/// written can be read.
public struct MessageLimits: Sendable, Hashable {
    /// Longest wire form, in bytes; at most 4 GiB - 1.
    public let bytes: Int
    /// Most fields in the whole message, nested ones included: bounds the memory that a few bytes can claim.
    public let fields: Int
    /// Deepest nesting of messages within messages: bounds the reader's stack.
    public let depth: Int

    /// 1 MiB, 65,536 fields, 64 levels.
    public static let standard = MessageLimits(bytes: 1 << 20, fields: 65_536, depth: 64)

    public init(bytes: Int, fields: Int, depth: Int) {
        self.bytes = min(max(bytes, 0), Int(UInt32.max))
        self.fields = max(fields, 0)
        self.depth = max(depth, 0)
    }
}
