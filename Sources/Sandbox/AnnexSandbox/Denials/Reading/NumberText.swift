/// Parses numbers in the kernel's texts; nil if the text is no number or too large.
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
