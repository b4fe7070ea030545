/// The lines of a `uid_map`: which numbers exist in a user namespace.
struct IdentityMap: Sendable, Hashable {
    let ranges: [Range<UInt64>]

    // Each line: first inside, first outside, count.
    init(text: String) {
        ranges = text.split(separator: "\n").compactMap { line in
            let numbers = line.split(separator: " ").compactMap { UInt32($0) }
            guard numbers.count == 3 else { return nil }
            let first = UInt64(numbers[0])
            return first..<(first + UInt64(numbers[2]))
        }
    }

    func contains(_ numbers: Range<UInt32>) -> Bool {
        ranges.contains { $0.lowerBound <= numbers.lowerBound && numbers.upperBound <= $0.upperBound }
    }
}
