/// Fixed-width numbers as bytes, least significant first.
enum WireBytes {
    static func bytes<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        (0..<Value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// The number at `offset`; nil where the bytes end before it does.
    static func number<Value: FixedWidthInteger>(_ bytes: [UInt8], at offset: Int, as: Value.Type = Value.self)
        -> Value?
    {
        let part = bytes.dropFirst(offset).prefix(Value.bitWidth / 8)
        guard part.count == Value.bitWidth / 8 else { return nil }
        return part.reversed().reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
    }
}
