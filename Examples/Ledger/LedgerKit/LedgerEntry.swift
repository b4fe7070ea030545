/// One line of the ledger, such as `12.50 bread`.
public struct LedgerEntry: Sendable, Hashable, CustomStringConvertible {
    /// The amount in hundredths.
    public let amount: Int64
    public let text: String

    init(amount: Int64, text: String) {
        self.amount = amount
        self.text = text
    }

    /// Parses a line: an amount, and then a text.
    /// - Returns: nil if the line does not begin with an amount.
    public init?(_ line: some StringProtocol) {
        let words = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
        guard let first = words.first, let amount = Self.hundredths(in: first) else { return nil }
        self.init(amount: amount, text: words.count > 1 ? String(words[1]) : "")
    }

    /// The line as it was parsed. Any member of the group may have written the line, so escape it before you show it.
    public var description: String {
        let amount = Self.text(ofHundredths: amount)
        return text.isEmpty ? amount : "\(amount) \(text)"
    }

    /// - Parameter word: an optional minus sign, one to nine digits, and optionally a point with two more digits. So
    ///   a sum of many amounts fits into 64 bits.
    private static func hundredths(in word: some StringProtocol) -> Int64? {
        let isNegative = word.hasPrefix("-")
        let parts = word.dropFirst(isNegative ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard parts.allSatisfy({ $0.utf8.allSatisfy(digits.contains) }) else { return nil }
        guard (1...2).contains(parts.count), (1...9).contains(parts[0].utf8.count) else { return nil }
        let rest = parts.count == 2 ? String(parts[1]) : "00"
        guard rest.utf8.count == 2, let magnitude = Int64(parts[0] + rest) else { return nil }
        return isNegative ? -magnitude : magnitude
    }

    /// An amount as text: `12.50`.
    static func text(ofHundredths amount: Int64) -> String {
        let (whole, rest) = (amount.magnitude / 100, amount.magnitude % 100)
        return "\(amount < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}
