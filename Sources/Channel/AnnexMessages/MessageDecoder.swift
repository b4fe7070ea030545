/// A decoder of tagged fields from untrusted bytes. For any bytes, the result is a value or a failure.
///
/// The public initialiser checks tag and length of every field. After that, the caller chooses the order in which it
/// decodes the fields. The order of rising tags is fastest. The decoder allocates memory only for the decoded values.
///
/// `Message.init(decoding:)` first assumes that the tags rise, as `MessageEncoder` writes them. It checks each field
/// when it decodes the field. At the end, it checks the fields that were not decoded. So a message with rising tags is
/// read only once. If any check or decoding fails, `Message.init(decoding:)` decodes the bytes again, after a check of
/// all fields. So the value or the failure never depends on the assumption.
public struct MessageDecoder: ~Copyable, ~Escapable {
    /// The message, from its first field on.
    @usableFromInline let whole: ByteCursor
    @usableFromInline let limits: MessageLimits
    @usableFromInline let depth: Int
    @usableFromInline let order: FieldOrder
    @usableFromInline var proof: OrderProof
    /// `resumeAt` is the place where the last search ended, and `resumeTag` is the tag that was searched for. No field
    /// before `resumeAt` has a tag larger than `resumeTag`, unless the order of the tags is `FieldOrder.any`.
    @usableFromInline var resumeAt: Int
    @usableFromInline var resumeTag: UInt16 = 0
    /// How many more fields the whole message may have.
    @usableFromInline var fieldsLeft: Int

    /// Checks tag and length of every field of a whole message.
    @_lifetime(copy bytes)
    @inlinable public init(_ bytes: RawSpan, limits: MessageLimits = .standard) throws(DecodingFailure) {
        guard bytes.byteCount <= limits.bytes else {
            throw DecodingFailure(offset: 0, reason: .tooLong(limit: limits.bytes))
        }
        try self.init(ByteCursor(bytes), limits: limits, depth: 0, fieldsLeft: limits.fields)
    }

    @_lifetime(copy cursor)
    @inlinable init(_ cursor: ByteCursor, limits: MessageLimits, depth: Int, fieldsLeft: Int) throws(DecodingFailure) {
        let (count, order) = try Self.frames(of: cursor, atMost: fieldsLeft, limits)
        whole = cursor
        self.limits = limits
        self.depth = depth
        self.order = order
        proof = .checked
        resumeAt = cursor.position
        self.fieldsLeft = fieldsLeft &- count
    }

    /// Creates a decoder that assumes that the tags rise. If decoding or `finish()` fails, the caller decodes the bytes
    /// again without this assumption.
    ///
    /// This decoder does not count fields. So the caller has to ensure that the message cannot contain more fields
    /// than the limit. `mayAssume` checks this by the message's length.
    @_lifetime(copy cursor)
    @inlinable @inline(__always) init(assuming cursor: ByteCursor, limits: MessageLimits, depth: Int, fieldsLeft: Int) {
        whole = cursor
        self.limits = limits
        self.depth = depth
        order = .rising
        proof = .assumed
        resumeAt = cursor.position
        self.fieldsLeft = fieldsLeft
    }

    /// Whether a message of these bytes can be decoded under the assumption that its tags rise. The message must not be
    /// longer than `limits.bytes`. It must also be too short to contain more fields than `limits.fields`. The header of
    /// a field has six bytes, so a message of N bytes has at most N/6 fields. This function compares the larger number
    /// N/4 with the limit, because a shift is cheaper than a division.
    @inlinable @inline(__always) static func mayAssume(_ bytes: RawSpan, within limits: MessageLimits) -> Bool {
        bytes.byteCount <= limits.bytes && bytes.byteCount &>> 2 <= limits.fields
    }

    /// Checks the fields that were not decoded. If this check succeeds, the assumption that the tags rise is true.
    @_lifetime(self: copy self)
    @inlinable @inline(__always) mutating func finish() throws(DecodingFailure) {
        guard proof == .assumed, resumeAt == whole.end else { return try prove() }
    }

    @_lifetime(self: copy self)
    @usableFromInline mutating func prove() throws(DecodingFailure) {
        guard proof != .checked else { return }
        let rest = whole.over(FieldPlace(start: resumeAt, end: whole.end))
        let last = resumeAt == whole.position ? -1 : Int(truncatingIfNeeded: resumeTag)
        guard proof == .assumed, let frames = try? Self.frames(of: rest, after: last, atMost: .max, limits),
            frames.order == .rising
        else {
            proof = .refuted
            throw failure(resumeTag, reason: .repeatedField)
        }
        proof = .checked
    }

    /// Checks that every field in `whole` is complete. If `whole` is only the rest of a message, `last` is the tag of
    /// the field before this rest. Otherwise, `last` is -1.
    /// - Returns: the number of fields, and the order of their tags.
    @inlinable static func frames(
        of whole: ByteCursor, after last: Int = -1, atMost most: Int, _ limits: MessageLimits
    ) throws(DecodingFailure) -> (count: Int, order: FieldOrder) {
        var cursor = whole
        var count = 0
        var (rises, falls) = (true, false)
        var last = last
        while cursor.left > 0 {
            let start = cursor.position
            guard count < most else {
                throw DecodingFailure(offset: start, reason: .tooManyFields(limit: limits.fields))
            }
            guard let tag = cursor.read(UInt16.self) else {
                throw DecodingFailure(offset: start, reason: .truncated)
            }
            guard let length = cursor.read(UInt32.self), cursor.read(count: length) != nil else {
                throw DecodingFailure(offset: start, tag: tag, reason: .truncated)
            }
            let number = Int(truncatingIfNeeded: tag)
            rises = rises && number > last
            falls = falls || number < last
            last = number
            count &+= 1
        }
        return (count, rises ? .rising : falls ? .any : .neverFalling)
    }
}

extension MessageDecoder {
    /// Decodes a required field, which must appear exactly once.
    @_lifetime(self: copy self)
    @inlinable public mutating func decode<Value: FieldValue>(
        _ tag: UInt16, as _: Value.Type = Value.self
    ) throws(DecodingFailure) -> Value {
        guard let value = try decodeIfPresent(tag, as: Value.self) else { throw failure(tag, reason: .missingField) }
        return value
    }

    /// Decodes an optional field; `missing` if the message does not have it.
    @_lifetime(self: copy self)
    @inlinable public mutating func decode<Value: FieldValue>(
        _ tag: UInt16, default missing: Value
    ) throws(DecodingFailure) -> Value {
        try decodeIfPresent(tag, as: Value.self) ?? missing
    }

    /// Decodes an optional field; nil if the message does not have it.
    @_lifetime(self: copy self)
    @inlinable public mutating func decodeIfPresent<Value: FieldValue>(
        _ tag: UInt16, as _: Value.Type = Value.self
    ) throws(DecodingFailure) -> Value? {
        guard let place = try find(tag) else { return nil }
        return try read(tag, at: place)
    }

    /// Decodes all fields with this tag, in order.
    @_lifetime(self: copy self)
    @inlinable public mutating func decodeList<Value: FieldValue>(
        _ tag: UInt16, of _: Value.Type = Value.self
    ) throws(DecodingFailure) -> [Value] {
        try prove()
        var values: [Value] = []
        var cursor = startOfSearch(for: tag)
        while let field = next(&cursor) {
            if field.tag == tag {
                values.append(try read(tag, at: field.place))
            } else if order != .any, field.tag > tag {
                break
            }
        }
        return values
    }

    /// Creates a failure of the field with this tag, for a `Message` that rejects a value.
    public func failure(_ tag: UInt16, reason: DecodingFailure.Reason) -> DecodingFailure {
        var cursor = whole
        while let field = next(&cursor) {
            if field.tag == tag { return DecodingFailure(offset: field.place.start, tag: tag, reason: reason) }
        }
        return DecodingFailure(offset: whole.position, tag: tag, reason: reason)
    }
}

extension MessageDecoder {
    /// Finds the only field with this tag; nil if no field has this tag.
    @_lifetime(self: copy self)
    @inlinable mutating func find(_ tag: UInt16) throws(DecodingFailure) -> FieldPlace? {
        // In the usual case, the requested field is the next field, and no other field has its tag.
        guard order == .rising, tag > resumeTag, let next = header(at: resumeAt), next.tag >= tag else {
            return try search(tag)
        }
        guard next.tag == tag else { return nil }
        resumeAt = next.place.end
        resumeTag = tag
        return next.place
    }

    /// The field that begins at `start`. `start` must be the start of a field or the message's end. The result is nil
    /// at the message's end, and also if the field does not fit into the message.
    @inlinable @inline(__always) func header(at start: Int) -> (tag: UInt16, place: FieldPlace)? {
        var cursor = whole.over(FieldPlace(start: start, end: whole.end))
        return next(&cursor)
    }

    @_lifetime(self: copy self)
    @usableFromInline mutating func search(_ tag: UInt16) throws(DecodingFailure) -> FieldPlace? {
        try prove()
        var cursor = startOfSearch(for: tag)
        var found: FieldPlace?
        var stop = cursor.position
        while let field = next(&cursor) {
            if field.tag == tag {
                guard found == nil else {
                    throw DecodingFailure(offset: field.place.start, tag: tag, reason: .repeatedField)
                }
                found = field.place
            } else if order != .any, field.tag > tag {
                break
            }
            stop = cursor.position
        }
        resumeAt = stop
        resumeTag = tag
        return found
    }

    @_lifetime(copy self)
    @inlinable func startOfSearch(for tag: UInt16) -> ByteCursor {
        guard order != .any, tag > resumeTag else { return whole }
        return whole.over(FieldPlace(start: resumeAt, end: whole.end))
    }

    /// The next field's tag and place; nil at the message's end. While the order of the tags is only assumed, the
    /// lengths are not checked yet. Then the result is also nil if the field does not fit into the message.
    @_lifetime(cursor: copy cursor)
    @inlinable @inline(__always) func next(_ cursor: inout ByteCursor) -> (tag: UInt16, place: FieldPlace)? {
        guard let tag = cursor.read(UInt16.self), let length = cursor.read(UInt32.self),
            let place = cursor.read(count: length)
        else { return nil }
        return (tag, place)
    }

    @_lifetime(self: copy self)
    @inlinable @inline(__always) mutating func read<Value: FieldValue>(
        _ tag: UInt16, at place: FieldPlace
    ) throws(DecodingFailure) -> Value {
        var reader = FieldReader(
            tag: tag, cursor: whole.over(place), limits: limits, depth: depth, fieldsLeft: fieldsLeft, proof: proof)
        do throws(DecodingFailure) {
            let value = try Value(reading: &reader)
            fieldsLeft = reader.fieldsLeft
            proof = reader.proof
            return value
        } catch {
            // The assumption that the tags rise may have caused this failure, and the caller may catch the error and
            // continue. So the failure is recorded here.
            if proof == .assumed { proof = .refuted }
            throw error
        }
    }
}

/// How far the order of a message's tags is known.
@usableFromInline
enum OrderProof {
    /// Tag and length of every field were checked.
    case checked
    /// The tags are assumed to rise. Their order is known only for the fields before `resumeAt`.
    case assumed
    /// A check or decoding failed under the assumption, so the bytes have to be decoded again.
    case refuted
}

/// The order of the tags in a message.
@usableFromInline
enum FieldOrder {
    /// Each tag is larger than the previous tag, so no field appears twice.
    case rising
    /// No tag is smaller than the previous tag. So a search for a larger tag can begin where the last search ended.
    case neverFalling
    case any
}

// Small messages consist mostly of numbers. So the functions below decode a number faster: they check the tag and the
// length of its field together.

extension MessageDecoder {
    /// Decodes a required number, which must appear exactly once.
    @_lifetime(self: copy self)
    @inlinable @inline(__always) public mutating func decode<Value: FieldValue & FixedWidthInteger & BitwiseCopyable>(
        _ tag: UInt16, as _: Value.Type = Value.self
    ) throws(DecodingFailure) -> Value {
        if let number: Value = next(tag) { return number }
        guard let value = try decodeIfPresent(tag, as: Value.self) else { throw failure(tag, reason: .missingField) }
        return value
    }

    /// The number in the next field. The result is nil if this field has a different tag or a different width, or if a
    /// second field might have the same tag.
    @_lifetime(self: copy self)
    @inlinable @inline(__always) mutating func next<Value: FixedWidthInteger & BitwiseCopyable>(
        _ tag: UInt16
    ) -> Value? {
        guard order == .rising, tag > resumeTag,
            let number = whole.number(Value.self, inFieldAt: resumeAt, tag: tag)
        else { return nil }
        resumeAt &+= 6 &+ MemoryLayout<Value>.size
        resumeTag = tag
        return number
    }
}
