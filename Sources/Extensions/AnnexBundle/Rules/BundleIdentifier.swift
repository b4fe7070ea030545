/// The rule for bundle identifiers, which become part of paths, reports and names of control groups.
enum BundleIdentifier {
    /// Whether the text is reverse DNS: letters, digits and hyphens between single dots. No part may be empty or start
    /// with a hyphen. At most 155 bytes, so that a file can be named after it.
    static func isWellFormed(_ text: String) -> Bool {
        guard (1...155).contains(text.utf8.count) else { return false }
        return text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { part in
            part.first != nil && part.first != UInt8(ascii: "-") && part.allSatisfy(isAllowed)
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
