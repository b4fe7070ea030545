/// A value with a stable encoding. The encoding consists of tagged fields: each is `{u16 tag, u32 length, bytes}`,
/// little-endian.
///
/// A decoder skips unknown tags, so a newer writer may add fields. A field that may be missing is decoded with a
/// default. A tag must never get a new meaning. Decoding is total: for any bytes, the result is a value or a
/// `DecodingFailure`, and never a trap.
public protocol Message: FieldValue {
    /// Encodes the fields.
    func encode(into encoder: inout MessageEncoder)

    /// Decodes the fields from untrusted bytes. If the bytes do not come from a `MessageEncoder`, this initialiser may
    /// be called twice for the same bytes.
    init(from decoder: inout MessageDecoder) throws(DecodingFailure)
}

extension Message {
    /// Encodes this message as the contents of a field of another message. The fields of this message are one nesting
    /// level deeper.
    @inlinable public func write(to encoder: inout MessageEncoder) {
        encoder.nested { (inner: inout MessageEncoder) in encode(into: &inner) }
    }

    @inlinable public init(reading field: inout FieldReader) throws(DecodingFailure) {
        self = try field.message(Self.self)
    }

    /// The message's encoding.
    /// - Throws: `EncodingFailure` if the message exceeds the limits.
    public func encoded(within limits: MessageLimits = .standard) throws(EncodingFailure) -> [UInt8] {
        var encoder = MessageEncoder(limits: limits)
        encode(into: &encoder)
        return try encoder.finish()
    }

    /// Decodes untrusted bytes.
    public init(decoding bytes: [UInt8], within limits: MessageLimits = .standard) throws(DecodingFailure) {
        try self.init(decoding: unsafe bytes.span.bytes, within: limits)
    }

    /// Decodes untrusted bytes, which are not copied as a whole.
    @inlinable public init(
        decoding bytes: RawSpan, within limits: MessageLimits = .standard
    ) throws(DecodingFailure) {
        if MessageDecoder.mayAssume(bytes, within: limits) {
            var decoder = MessageDecoder(
                assuming: ByteCursor(bytes), limits: limits, depth: 0, fieldsLeft: limits.fields)
            do throws(DecodingFailure) {
                try self.init(from: &decoder)
                try decoder.finish()
                return
            } catch {}
        }
        self = try Self.checked(bytes, within: limits)
    }

    /// Checks the tag and the length of every field, and then decodes the message.
    @inlinable @inline(never) package static func checked(
        _ bytes: RawSpan, within limits: MessageLimits
    ) throws(DecodingFailure) -> Self {
        var decoder = try MessageDecoder(bytes, limits: limits)
        return try Self(from: &decoder)
    }
}

/// The limits of one message. Encoders and decoders check the same limits, so that every encoded message can be
/// decoded.
public struct MessageLimits: Sendable, Hashable {
    /// The longest encoding in bytes; at most 4 GiB - 1.
    public let bytes: Int
    /// The most fields in the whole message, including the fields of nested messages. This limits how much memory a
    /// short encoding can make the decoder allocate.
    public let fields: Int
    /// The deepest nesting of messages within messages. This limits the decoder's stack.
    public let depth: Int

    /// 1 MiB, 65,536 fields, 64 levels.
    public static let standard = MessageLimits(bytes: 1 << 20, fields: 65_536, depth: 64)

    public init(bytes: Int, fields: Int, depth: Int) {
        self.bytes = min(max(bytes, 0), Int(UInt32.max))
        self.fields = max(fields, 0)
        self.depth = max(depth, 0)
    }
}
