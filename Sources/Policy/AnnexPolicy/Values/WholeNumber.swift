/// Reads whole numbers: decimal, or hexadecimal after `0x`.
enum WholeNumber {
    static func parse(_ text: some StringProtocol) -> UInt64? {
        if text.hasPrefix("0x") { return UInt64(text.dropFirst(2), radix: 16) }
        // `UInt64` would also accept "+1".
        guard text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return UInt64(text)
    }

    static func hexadecimal(_ value: UInt64) -> String { "0x" + String(value, radix: 16) }
}
