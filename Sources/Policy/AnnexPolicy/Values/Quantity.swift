/// Reads sizes and times in the notation of policies.
package enum Quantity {
    /// A number of bytes: a whole number with an optional `K`, `M` or `G` (powers of 1024).
    package static func bytes(_ text: String) -> UInt64? {
        let factors: [Character: UInt64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
        let factor = text.last.flatMap { factors[$0] }
        guard let number = WholeNumber.parse(factor == nil ? text : String(text.dropLast())) else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: factor ?? 1)
        return overflow || bytes > UInt64(Int64.max) ? nil : bytes
    }

    /// A time: a whole number with `ms`, `s` or `min`.
    static func time(_ text: String) -> Duration? {
        let units: [(name: String, milliseconds: Int64)] = [("ms", 1), ("min", 60_000), ("s", 1000)]
        for unit in units where text.hasSuffix(unit.name) {
            guard let number = WholeNumber.parse(text.dropLast(unit.name.count)), number <= 1_000_000_000 else {
                return nil
            }
            return .milliseconds(Int64(number) * unit.milliseconds)
        }
        return nil
    }
}

/// Reads whole numbers: decimal, or hexadecimal after `0x`.
package enum WholeNumber {
    package static func parse(_ text: some StringProtocol) -> UInt64? {
        if text.hasPrefix("0x") { return UInt64(text.dropFirst(2), radix: 16) }
        // `UInt64` would also accept "+1".
        guard text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return UInt64(text)
    }

    package static func hexadecimal(_ value: UInt64) -> String { "0x" + String(value, radix: 16) }
}
