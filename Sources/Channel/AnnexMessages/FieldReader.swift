/// The bytes of one field, for a `FieldValue` that decodes itself.
public struct FieldReader: ~Copyable, ~Escapable {
    /// The field's tag.
    public let tag: UInt16
    @usableFromInline var cursor: ByteCursor
    @usableFromInline let limits: MessageLimits
    @usableFromInline let depth: Int
    /// How many more fields the whole message may have.
    @usableFromInline var fieldsLeft: Int

    @_lifetime(copy cursor)
    @inlinable init(tag: UInt16, cursor: ByteCursor, limits: MessageLimits, depth: Int, fieldsLeft: Int) {
        self.tag = tag
        self.cursor = cursor
        self.limits = limits
        self.depth = depth
        self.fieldsLeft = fieldsLeft
    }

    /// The field's size in bytes.
    @inlinable public var count: Int { cursor.left }

    /// Reads the whole field as one little-endian number with exactly the type's width.
    @_lifetime(self: copy self)
    @inlinable @inline(__always) public mutating func integer<Number: FixedWidthInteger & BitwiseCopyable>(
        _: Number.Type
    ) throws(DecodingFailure) -> Number {
        guard cursor.left == MemoryLayout<Number>.size, let number = cursor.take(Number.self) else {
            throw failure(.wrongSize(expected: MemoryLayout<Number>.size))
        }
        return number
    }

    /// Reads the whole field as text; throws if it is not UTF-8.
    @inlinable public func text() throws(DecodingFailure) -> String {
        guard let text = cursor.text() else { throw failure(.notText) }
        return text
    }

    /// A copy of the field's bytes.
    @inlinable public func allBytes() -> [UInt8] {
        cursor.copy()
    }

    /// The field's bytes, not copied.
    @inlinable public var bytes: RawSpan {
        @_lifetime(copy self) get { cursor.rest }
    }

    /// Reads the whole field as a message.
    @_lifetime(self: copy self)
    @inlinable public mutating func message<Value: Message>(_: Value.Type) throws(DecodingFailure) -> Value {
        guard depth < limits.depth else { throw failure(.tooDeep(limit: limits.depth)) }
        var decoder = try MessageDecoder(cursor, limits: limits, depth: depth &+ 1, fieldsLeft: fieldsLeft)
        let value = try Value(from: &decoder)
        fieldsLeft = decoder.fieldsLeft
        return value
    }

    /// Creates a failure of this field at its current offset.
    public func failure(_ reason: DecodingFailure.Reason) -> DecodingFailure {
        DecodingFailure(offset: cursor.position, tag: tag, reason: reason)
    }
}
