/// Reads sizes and times in the notation of policies.
package enum Quantity {
    /// A number of bytes: a whole number with an optional `K`, `M`, `G` or `T` (powers of 1024).
    package static func bytes(_ text: String) -> UInt64? {
        let factors: [Character: UInt64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
        let factor = text.last.flatMap { factors[$0] }
        guard let number = WholeNumber.parse(factor == nil ? text : String(text.dropLast())) else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: factor ?? 1)
        return overflow || bytes > UInt64(Int64.max) ? nil : bytes
    }

    /// The form of a size, for messages.
    package static let formOfBytes = "a whole number above 0, with K, M, G or T if wanted"

    /// Four times as many bytes, at most the largest number that `bytes` reads.
    package static func four(times bytes: UInt64) -> UInt64 {
        bytes > UInt64(Int64.max) / 4 ? UInt64(Int64.max) : bytes * 4
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

extension Quantity {
    /// The shortest exact text: `64M`, `1500`.
    package static func text(bytes: UInt64) -> String {
        for (letter, shift) in [("T", 40), ("G", 30), ("M", 20), ("K", 10)] as [(String, UInt64)]
        where bytes >= 1 << shift && bytes % (1 << shift) == 0 { return "\(bytes >> shift)\(letter)" }
        return String(bytes)
    }

    /// The time that stands for no limit.
    static let endless = Duration.nanoseconds(Int64.max)

    /// The shortest exact text: `2min`, `30s`, `500ms`. The text is `none` if there is no limit.
    package static func text(time: Duration) -> String {
        if time >= endless { return "none" }
        let (seconds, attoseconds) = time.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        if milliseconds > 0, milliseconds % 60_000 == 0 { return "\(milliseconds / 60_000)min" }
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
    }
}
