/// The version of an app or extension: whole numbers between dots, such as `1.4.12`.
///
/// Versions are compared as Apple compares them, number by number. A missing number counts as 0, so `1.4` equals
/// `1.4.0`.
///
/// ```swift
/// BundleVersion("1.10")! > BundleVersion("1.9.3")!    // true
/// ```
public struct BundleVersion: Sendable {
    /// The numbers in order, without the zeros at the end.
    public let numbers: [UInt64]
    /// The version as its author wrote it: digits and dots.
    public let text: String

    /// The longest text of a version, in bytes.
    package static let longest = 64
    /// The most digits of one number. Every number with 18 digits fits into 64 bits.
    private static let mostDigits = 18

    /// Reads a version.
    ///
    /// - Parameter text: one or more numbers, with one dot between each two. Each number has 1 to 18 digits. The
    ///   whole text has at most 64 bytes.
    /// - Returns: nil if the text does not have this form.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        var numbers: [UInt64] = []
        for part in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard (1...Self.mostDigits).contains(part.count), let number = Self.number(part) else { return nil }
            numbers.append(number)
        }
        self.init(numbers, text: text)
    }

    private init(_ numbers: [UInt64], text: String) {
        let end = numbers.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
        self.numbers = Array(numbers[..<end])
        self.text = text
    }

    /// The value of decimal digits; nil if the text contains any other byte. `UInt64(_:)` is not used, because it
    /// would also accept a sign.
    private static func number(_ digits: Substring.UTF8View) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value &* 10 &+ UInt64(digit - UInt8(ascii: "0"))
        }
        return value
    }
}

extension BundleVersion: Comparable, Hashable, CustomStringConvertible {
    public static func == (left: BundleVersion, right: BundleVersion) -> Bool { left.numbers == right.numbers }

    public static func < (left: BundleVersion, right: BundleVersion) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(numbers) }

    public var description: String { text }
}

extension BundleVersion {
    /// The version of Annex itself. With `LSMinimumSystemVersion`, a bundle states the lowest version of Annex that
    /// it can use.
    public static let annex: BundleVersion = {
        let numbers: [UInt64] = [0, 1, 0]
        return BundleVersion(numbers, text: numbers.map(String.init).joined(separator: "."))
    }()

    /// The version of a bundle that states no version: 0, which is lower than every other version.
    public static let unstated = BundleVersion([], text: "0")
}
