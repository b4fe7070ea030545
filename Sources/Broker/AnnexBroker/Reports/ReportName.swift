internal import AnnexLinux

/// A report's file name: `20261122T065834.012345Z-com.example.shout.loud-5f3a90c1d2e4b687.json`. The name contains the
/// extension's identifier, so a reader learns the identifier without opening the file. Names sort by time.
struct ReportName: Sendable, Hashable {
    /// The time of the end, as `WallClock.compact`.
    let time: String
    let identifier: String
    /// Random digits. They distinguish two reports about ends at the same moment.
    let mark: String

    var text: String { "\(time)-\(identifier)-\(mark)\(Self.suffix)" }

    private static let suffix = ".json"

    init(_ identifier: String, at time: WallClock, mark: UInt64 = .random(in: 0 ... .max)) {
        self.time = time.compact
        self.identifier = Self.fitting(identifier)
        let digits = String(mark, radix: 16)
        self.mark = String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Parses a name. The result is nil if the text is not a report's name.
    init?(_ text: String) {
        guard text.hasSuffix(Self.suffix) else { return nil }
        let parts = text.dropLast(Self.suffix.count).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 3, let first = parts.first, let last = parts.last, Self.isTime(first),
            last.utf8.count == 16, last.utf8.allSatisfy(Self.isDigit)
        else { return nil }
        time = String(first)
        identifier = parts.dropFirst().dropLast().joined(separator: "-")
        mark = String(last)
        // The comparison also ensures that the name contains only bytes that this type writes.
        guard Self.fitting(identifier) == identifier, self.text == text else { return nil }
    }

    /// Replaces every byte that must not be in a file name. This is a second check: the installation of an app already
    /// checks the identifiers.
    private static func fitting(_ identifier: String) -> String {
        String(decoding: identifier.utf8.prefix(155).map { isAllowed($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }

    /// A time has the form `20261122T065834.012345Z`.
    private static func isTime(_ text: Substring) -> Bool {
        let bytes = Array(text.utf8)
        let marks: [Int: UInt8] = [8: UInt8(ascii: "T"), 15: UInt8(ascii: "."), 22: UInt8(ascii: "Z")]
        return bytes.count == 23
            && bytes.enumerated().allSatisfy { place, byte in
                marks[place].map { $0 == byte } ?? (byte >= 0x30 && byte <= 0x39)
            }
    }
}

extension ReportName: Comparable {
    static func < (one: ReportName, other: ReportName) -> Bool { one.text < other.text }
}
