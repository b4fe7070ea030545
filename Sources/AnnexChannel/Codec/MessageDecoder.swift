/// Reads tagged fields from bytes that anybody may have written: any bytes give a value or a failure.
///
/// The frame of every field is checked before the first is read; fields may be asked for in any order.
public struct MessageDecoder: Sendable {
    private struct Field: Sendable {
        let tag: UInt16
        let part: Range<Int>
    }

    private let cursor: ByteCursor
    private let limits: MessageLimits
    private let depth: Int
    private let fields: [Field]
    /// Fields that the whole message may still have.
    private(set) var fieldsLeft: Int

    /// Checks the frames of a whole message.
    public init(_ bytes: [UInt8], limits: MessageLimits = .standard) throws(DecodingFailure) {
        guard bytes.count <= limits.bytes else {
            throw DecodingFailure(offset: 0, reason: .tooLong(limit: limits.bytes))
        }
        try self.init(ByteCursor(bytes), limits: limits, depth: 0, fieldsLeft: limits.fields)
    }

    init(_ cursor: ByteCursor, limits: MessageLimits, depth: Int, fieldsLeft: Int) throws(DecodingFailure) {
        self.cursor = cursor
        self.limits = limits
        self.depth = depth
        fields = try Self.frames(of: cursor, atMost: fieldsLeft, limits)
        self.fieldsLeft = fieldsLeft &- fields.count
    }

    private static func frames(
        of whole: ByteCursor, atMost most: Int, _ limits: MessageLimits
    ) throws(DecodingFailure) -> [Field] {
        var cursor = whole
        var fields: [Field] = []
        while cursor.left > 0 {
            let start = cursor.position
            guard fields.count < most else {
                throw DecodingFailure(offset: start, reason: .tooManyFields(limit: limits.fields))
            }
            guard let tag = cursor.take(UInt16.self) else {
                throw DecodingFailure(offset: start, reason: .truncated)
            }
            guard let length = cursor.take(UInt32.self), let part = cursor.take(count: length) else {
                throw DecodingFailure(offset: start, tag: tag, reason: .truncated)
            }
            fields.append(Field(tag: tag, part: part))
        }
        return fields
    }
}

extension MessageDecoder {
    /// A field that must be there, once.
    public mutating func decode<Value: FieldValue>(
        _ tag: UInt16, as _: Value.Type = Value.self
    ) throws(DecodingFailure) -> Value {
        guard let value = try decodeIfPresent(tag, as: Value.self) else { throw failure(tag, .missingField) }
        return value
    }

    /// A field that may be missing, and then is `missing`.
    public mutating func decode<Value: FieldValue>(
        _ tag: UInt16, default missing: Value
    ) throws(DecodingFailure) -> Value {
        try decodeIfPresent(tag, as: Value.self) ?? missing
    }

    /// A field that may be missing, and then is nil.
    public mutating func decodeIfPresent<Value: FieldValue>(
        _ tag: UInt16, as _: Value.Type = Value.self
    ) throws(DecodingFailure) -> Value? {
        var found: Field?
        for field in fields where field.tag == tag {
            if found != nil { throw failure(tag, .repeatedField, at: field.part.lowerBound) }
            found = field
        }
        guard let found else { return nil }
        return try read(found)
    }

    /// All fields with this tag, in order.
    public mutating func decodeList<Value: FieldValue>(
        _ tag: UInt16, of _: Value.Type = Value.self
    ) throws(DecodingFailure) -> [Value] {
        var values: [Value] = []
        for field in fields where field.tag == tag { values.append(try read(field)) }
        return values
    }

    /// A failure of the field with this tag, for a `Message` that finds a value refusable.
    public func failure(_ tag: UInt16, _ reason: DecodingFailure.Reason) -> DecodingFailure {
        let place = fields.first { $0.tag == tag }?.part.lowerBound
        return failure(tag, reason, at: place ?? cursor.position)
    }

    private func failure(_ tag: UInt16, _ reason: DecodingFailure.Reason, at offset: Int) -> DecodingFailure {
        DecodingFailure(offset: offset, tag: tag, reason: reason)
    }

    private mutating func read<Value: FieldValue>(_ field: Field) throws(DecodingFailure) -> Value {
        var reader = FieldReader(
            tag: field.tag, cursor: cursor.over(field.part), limits: limits, depth: depth, fieldsLeft: fieldsLeft)
        let value = try Value(reading: &reader)
        fieldsLeft = reader.fieldsLeft
        return value
    }
}
