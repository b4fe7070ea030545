// Numbers are most of what small messages hold, and are told by one look at the field's header.

extension MessageDecoder {
    /// A number that must be there, once.
    @_lifetime(self: copy self)
    @inlinable @inline(__always) public mutating func decode<Value: FieldValue & FixedWidthInteger & BitwiseCopyable>(
        _ tag: UInt16, as _: Value.Type = Value.self
    ) throws(DecodingFailure) -> Value {
        if let number: Value = next(tag) { return number }
        guard let value = try decodeIfPresent(tag, as: Value.self) else { throw failure(tag, .missingField) }
        return value
    }

    /// The number of the next field, where it has this tag and its type's width, and no other field has the tag.
    @_lifetime(self: copy self)
    @inlinable @inline(__always) mutating func next<Value: FixedWidthInteger & BitwiseCopyable>(
        _ tag: UInt16
    ) -> Value? {
        let width = MemoryLayout<Value>.size
        guard order == .rising, tag > resumeTag else { return nil }
        var cursor = whole
        cursor.position = resumeAt
        guard cursor.take(UInt16.self) == tag, let length = cursor.take(UInt32.self), Int(exactly: length) == width,
            let number = cursor.take(Value.self)
        else { return nil }
        resumeAt = cursor.position
        resumeTag = tag
        return number
    }
}
