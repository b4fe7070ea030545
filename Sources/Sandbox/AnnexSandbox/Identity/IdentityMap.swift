/// The lines of a `uid_map`: which numbers exist in a user namespace.
struct IdentityMap: Sendable, Hashable {
    let ranges: [Range<UInt64>]
    /// Whether user 0 in here is another user outside, who made this namespace and is no root.
    let hasOrdinaryZero: Bool

    // Each line: first inside, first outside, count.
    init(text: String) {
        let lines = text.split(separator: "\n").map { $0.split(separator: " ").compactMap { UInt32($0) } }
            .filter { $0.count == 3 }
        ranges = lines.map { UInt64($0[0])..<(UInt64($0[0]) + UInt64($0[2])) }
        hasOrdinaryZero = lines.contains { $0[0] == 0 && $0[1] != 0 }
    }

    func contains(_ numbers: Range<UInt32>) -> Bool {
        ranges.contains { $0.lowerBound <= numbers.lowerBound && numbers.upperBound <= $0.upperBound }
    }
}
