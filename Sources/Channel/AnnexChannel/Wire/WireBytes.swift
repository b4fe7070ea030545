/// Fixed-width numbers as bytes, least significant first.
enum WireBytes {
    static func bytes<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        unsafe withUnsafeBytes(of: value.littleEndian) { unsafe [UInt8]($0) }
    }

    /// The number at `offset`; nil where the bytes end before it does.
    static func number<Value: FixedWidthInteger>(_ bytes: [UInt8], at offset: Int, as: Value.Type = Value.self)
        -> Value?
    {
        let size = MemoryLayout<Value>.size
        let part = bytes.dropFirst(offset).prefix(size)
        guard part.count == size else { return nil }
        return part.reversed().reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
    }
}
