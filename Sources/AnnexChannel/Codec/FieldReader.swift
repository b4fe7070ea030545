/// One field's bytes, for a `FieldValue` that reads itself.
public struct FieldReader: Sendable {
    /// The field's tag.
    public let tag: UInt16
    private var cursor: ByteCursor
    private let limits: MessageLimits
    private let depth: Int
    /// Fields that the whole message may still have.
    private(set) var fieldsLeft: Int

    init(tag: UInt16, cursor: ByteCursor, limits: MessageLimits, depth: Int, fieldsLeft: Int) {
        self.tag = tag
        self.cursor = cursor
        self.limits = limits
        self.depth = depth
        self.fieldsLeft = fieldsLeft
    }

    /// The field's size in bytes.
    public var count: Int { cursor.left }

    /// The whole field as one little-endian number of exactly its type's width.
    public mutating func integer<Number: FixedWidthInteger>(_: Number.Type) throws(DecodingFailure) -> Number {
        let size = Number.bitWidth >> 3
        guard cursor.left == size, let number = cursor.take(Number.self) else {
            throw failure(.wrongSize(expected: size))
        }
        return number
    }

    /// The whole field as text; refused where it is not UTF-8.
    public func text() throws(DecodingFailure) -> String {
        guard let text = cursor.text() else { throw failure(.notText) }
        return text
    }

    /// A copy of the field's bytes.
    public func allBytes() -> [UInt8] {
        cursor.copy()
    }

    /// The whole field as a message.
    public mutating func message<Value: Message>(_: Value.Type) throws(DecodingFailure) -> Value {
        guard depth < limits.depth else { throw failure(.tooDeep(limit: limits.depth)) }
        var decoder = try MessageDecoder(cursor, limits: limits, depth: depth &+ 1, fieldsLeft: fieldsLeft)
        let value = try Value(from: &decoder)
        fieldsLeft = decoder.fieldsLeft
        return value
    }

    /// A failure of this field at its place.
    public func failure(_ reason: DecodingFailure.Reason) -> DecodingFailure {
        DecodingFailure(offset: cursor.position, tag: tag, reason: reason)
    }
}
