/// Reads little-endian numbers at offsets in untrusted bytes; nil beyond their end.
struct LittleEndian {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    func number<Number: FixedWidthInteger & UnsignedInteger>(_ type: Number.Type, at place: Int) -> Number? {
        let size = Number.bitWidth / 8
        guard place >= 0, place <= bytes.count, bytes.count &- place >= size else { return nil }
        var value: Number = 0
        for index in stride(from: size &- 1, through: 0, by: -1) {
            value = value << 8 | Number(truncatingIfNeeded: bytes[place &+ index])
        }
        return value
    }
}
