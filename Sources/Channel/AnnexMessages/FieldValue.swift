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
        encoder.append(UInt8(self ? 1 : 0))
    }

    @inlinable public init(reading field: inout FieldReader) throws(DecodingFailure) {
        let byte = try field.integer(UInt8.self)
        guard byte < 2 else { throw field.failure(.refused("is neither 0 nor 1")) }
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

/// Bytes are one field. For a list of anything else use `encode(list:as:)`.
extension [UInt8]: FieldValue {
    @inlinable public func write(to encoder: inout MessageEncoder) {
        encoder.append(contentsOf: self)
    }

    @inlinable public init(reading field: inout FieldReader) throws(DecodingFailure) {
        self = field.allBytes()
    }
}

/// An enumeration is encoded as its raw value. Decoding throws for a raw value without a case.
extension FieldValue where Self: RawRepresentable, RawValue: FieldValue {
    @inlinable public func write(to encoder: inout MessageEncoder) {
        rawValue.write(to: &encoder)
    }

    @inlinable public init(reading field: inout FieldReader) throws(DecodingFailure) {
        let raw = try RawValue(reading: &field)
        guard let value = Self(rawValue: raw) else { throw field.failure(.refused("is no known value")) }
        self = value
    }
}
