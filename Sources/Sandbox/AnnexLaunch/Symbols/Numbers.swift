/// Parses numbers in the kernel's texts. Returns nil if the text is no number or the number is too large.
enum NumberText {
    static func decimal(_ bytes: some Collection<UInt8>) -> UInt64? { value(bytes, radix: 10) }

    /// Parses hexadecimal digits, with or without `0x`.
    static func hexadecimal(_ bytes: some Collection<UInt8>) -> UInt64? {
        bytes.starts(with: [UInt8(ascii: "0"), UInt8(ascii: "x")])
            ? value(bytes.dropFirst(2), radix: 16) : value(bytes, radix: 16)
    }

    private static func value(_ bytes: some Collection<UInt8>, radix: UInt64) -> UInt64? {
        guard !bytes.isEmpty, bytes.count <= 20 else { return nil }
        var sum: UInt64 = 0
        for byte in bytes {
            guard let digit = digit(byte), digit < radix else { return nil }
            let (product, isTooLarge) = sum.multipliedReportingOverflow(by: radix)
            let (next, isTooLargeNow) = product.addingReportingOverflow(digit)
            guard !isTooLarge, !isTooLargeNow else { return nil }
            sum = next
        }
        return sum
    }

    private static func digit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case 0x30...0x39: UInt64(byte &- 0x30)
        case 0x61...0x66: UInt64(byte &- 0x57)
        default: nil
        }
    }
}

/// Reads little-endian numbers at offsets in untrusted bytes. Returns nil beyond the end of the bytes.
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
