/// A type that one field can hold: a number of fixed width, text, bytes, or a message.
public protocol FieldValue: Sendable {
    /// Appends the value's bytes to the field.
    func write(to encoder: inout MessageEncoder)

    /// Reads the value from a field's untrusted bytes.
    init(reading field: inout FieldReader) throws(DecodingFailure)
}

extension FieldValue where Self: FixedWidthInteger & BitwiseCopyable {
    @inlinable public func write(to encoder: inout MessageEncoder) {
        encoder.append(self)
    }

    @inlinable public init(reading field: inout FieldReader) throws(DecodingFailure) {
        self = try field.integer(Self.self)
    }
}

extension UInt8: FieldValue {}
extension UInt16: FieldValue {}
extension UInt32: FieldValue {}
extension UInt64: FieldValue {}
extension Int8: FieldValue {}
extension Int16: FieldValue {}
extension Int32: FieldValue {}
extension Int64: FieldValue {}

extension Bool: FieldValue {
    @inlinable public func write(to encoder: inout MessageEncoder) {
        let byte: UInt8 = self ? 1 : 0
        encoder.append(byte)
    }

    @inlinable public init(reading field: inout FieldReader) throws(DecodingFailure) {
        let byte = try field.integer(UInt8.self)
        guard byte < 2 else { throw field.failure(.rejected("is neither 0 nor 1")) }
        self = byte == 1
    }
}

extension Double: FieldValue {
    @inlinable public func write(to encoder: inout MessageEncoder) {
        encoder.append(bitPattern)
    }

    @inlinable public init(reading field: inout FieldReader) throws(DecodingFailure) {
        self.init(bitPattern: try field.integer(UInt64.self))
    }
}

extension Float: FieldValue {
    @inlinable public func write(to encoder: inout MessageEncoder) {
        encoder.append(bitPattern)
    }

    @inlinable public init(reading field: inout FieldReader) throws(DecodingFailure) {
        self.init(bitPattern: try field.integer(UInt32.self))
    }
}

extension String: FieldValue {
    @inlinable public func write(to encoder: inout MessageEncoder) {
        encoder.append(contentsOf: utf8)
    }

    @inlinable public init(reading field: inout FieldReader) throws(DecodingFailure) {
        self = try field.text()
    }
}

/// An array of bytes is encoded as one field. For a list of other values, use `encode(list:as:)`.
extension [UInt8]: FieldValue {
    @inlinable public func write(to encoder: inout MessageEncoder) {
        encoder.append(contentsOf: self)
    }

    @inlinable public init(reading field: inout FieldReader) throws(DecodingFailure) {
        self = field.allBytes()
    }
}

/// An enumeration is encoded as its raw value. Decoding throws if no case has the raw value.
extension FieldValue where Self: RawRepresentable, RawValue: FieldValue {
    @inlinable public func write(to encoder: inout MessageEncoder) {
        rawValue.write(to: &encoder)
    }

    @inlinable public init(reading field: inout FieldReader) throws(DecodingFailure) {
        let raw = try RawValue(reading: &field)
        guard let value = Self(rawValue: raw) else { throw field.failure(.rejected("is no known value")) }
        self = value
    }
}

/// The bytes of one field, for a `FieldValue` that decodes itself.
public struct FieldReader: ~Copyable, ~Escapable {
    /// The field's tag.
    public let tag: UInt16
    @usableFromInline var cursor: ByteCursor
    @usableFromInline let limits: MessageLimits
    @usableFromInline let depth: Int
    /// How many more fields the whole message may have.
    @usableFromInline var fieldsLeft: Int
    /// Whether the message around this field was checked, or the order of its tags is only assumed. A message inside
    /// this field is decoded in the same way as the message around it.
    @usableFromInline var proof: OrderProof

    @_lifetime(copy cursor)
    @inlinable init(
        tag: UInt16, cursor: ByteCursor, limits: MessageLimits, depth: Int, fieldsLeft: Int, proof: OrderProof
    ) {
        self.tag = tag
        self.cursor = cursor
        self.limits = limits
        self.depth = depth
        self.fieldsLeft = fieldsLeft
        self.proof = proof
    }

    /// The field's size in bytes.
    @inlinable public var count: Int { cursor.left }

    /// Reads the whole field as one little-endian number with exactly the type's width.
    @_lifetime(self: copy self)
    @inlinable @inline(__always) public mutating func integer<Number: FixedWidthInteger & BitwiseCopyable>(
        _: Number.Type
    ) throws(DecodingFailure) -> Number {
        guard cursor.left == MemoryLayout<Number>.size, let number = cursor.read(Number.self) else {
            throw failure(.wrongSize(expected: MemoryLayout<Number>.size))
        }
        return number
    }

    /// Reads the whole field as text; throws if the bytes are not UTF-8.
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
        guard proof == .checked else { return try assumedMessage() }
        var decoder = try MessageDecoder(cursor, limits: limits, depth: depth &+ 1, fieldsLeft: fieldsLeft)
        let value = try Value(from: &decoder)
        fieldsLeft = decoder.fieldsLeft
        return value
    }

    @_lifetime(self: copy self)
    @inlinable mutating func assumedMessage<Value: Message>() throws(DecodingFailure) -> Value {
        var decoder = MessageDecoder(assuming: cursor, limits: limits, depth: depth &+ 1, fieldsLeft: fieldsLeft)
        do throws(DecodingFailure) {
            let value = try Value(from: &decoder)
            try decoder.finish()
            return value
        } catch {
            proof = .refuted
            throw error
        }
    }

    /// Creates a failure of this field at the offset that this reader has reached.
    public func failure(_ reason: DecodingFailure.Reason) -> DecodingFailure {
        DecodingFailure(offset: cursor.position, tag: tag, reason: reason)
    }
}
