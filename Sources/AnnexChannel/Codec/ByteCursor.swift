/// The one place where bytes from a peer meet arithmetic: every step is checked, none can trap.
struct ByteCursor: Sendable {
    private let bytes: [UInt8]
    /// Offset of the next byte, in the whole message.
    private(set) var position: Int
    private let end: Int

    init(_ bytes: [UInt8]) {
        self.init(bytes, 0..<bytes.count)
    }

    /// Over a part of the bytes; cut to what is there.
    init(_ bytes: [UInt8], _ part: Range<Int>) {
        let inside = part.clamped(to: 0..<bytes.count)
        self.bytes = bytes
        position = inside.lowerBound
        end = inside.upperBound
    }

    /// How many bytes are left; never negative, as `position` never passes `end`.
    var left: Int { end - position }

    /// What is left, as offsets into the whole message.
    var rest: Range<Int> { position..<end }

    /// The same bytes, another part of them.
    func over(_ part: Range<Int>) -> ByteCursor {
        ByteCursor(bytes, part.clamped(to: rest.lowerBound..<end))
    }

    /// The next number, or nil where too few bytes are left.
    mutating func take<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        let size = Number.bitWidth / 8
        guard size <= left else { return nil }
        var number: Number = 0
        for place in 0..<size {
            number |= Number(truncatingIfNeeded: bytes[position + place]) << (place * 8)
        }
        position += size
        return number
    }

    /// The next `count` bytes' place, or nil where fewer are left.
    mutating func take(count: UInt32) -> Range<Int>? {
        guard let count = Int(exactly: count), count <= left else { return nil }
        let start = position
        position += count
        return start..<position
    }

    /// A copy of what is left.
    func copy() -> [UInt8] {
        [UInt8](bytes[rest])
    }

    /// What is left as text, or nil where it is not UTF-8.
    func text() -> String? {
        String(validating: bytes[rest], as: UTF8.self)
    }
}
