/// The lines of a `uid_map`: which numbers exist in a user namespace.
struct IdentityMap: Sendable, Hashable {
    let ranges: [Range<UInt64>]
    /// Whether user 0 of this namespace is another user outside: an ordinary user who made this namespace.
    let hasOrdinaryZero: Bool

    // Each line has three numbers: the first inside, the first outside, the count.
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
