/// A value with a stable wire form: tagged fields, each `{u16 tag, u32 length, bytes}`, little-endian.
///
/// A reader skips tags that it does not know, so a newer writer may add fields; a field that may be missing
/// is read with a default. A tag is never given a new meaning. The reader is total: any bytes at all give
/// either a value or a `DecodingFailure`, never a trap.
public protocol Message: FieldValue {
    /// Writes the fields.
    func encode(into encoder: inout MessageEncoder)

    /// Reads the fields, from bytes that anybody may have written.
    init(from decoder: inout MessageDecoder) throws(DecodingFailure)
}

extension Message {
    /// A message as a field of another is its fields, one level deeper.
    @inlinable public func write(to encoder: inout MessageEncoder) {
        encoder.nested { (inner: inout MessageEncoder) in encode(into: &inner) }
    }

    @inlinable public init(reading field: inout FieldReader) throws(DecodingFailure) {
        self = try field.message(Self.self)
    }

    /// The wire form.
    public func encoded(within limits: MessageLimits = .standard) throws(EncodingFailure) -> [UInt8] {
        var encoder = MessageEncoder(limits: limits)
        encode(into: &encoder)
        return try encoder.finish()
    }

    /// Reads a wire form that anybody may have written.
    public init(decoding bytes: [UInt8], within limits: MessageLimits = .standard) throws(DecodingFailure) {
        try self.init(decoding: unsafe bytes.span.bytes, within: limits)
    }

    /// Reads a wire form where it lies.
    @inlinable public init(
        decoding bytes: RawSpan, within limits: MessageLimits = .standard
    ) throws(DecodingFailure) {
        var decoder = try MessageDecoder(bytes, limits: limits)
        try self.init(from: &decoder)
    }
}

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
