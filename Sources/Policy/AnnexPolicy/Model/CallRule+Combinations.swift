extension CallRule {
    /// One comparison of one register.
    package struct Part: Sendable {
        let index: Int
        let comparison: Comparison
    }

    /// Every way to choose one alternative per condition: libseccomp can only join comparisons with "and".
    package var combinations: [[Part]] {
        conditions.reduce([[]]) { combinations, condition in
            combinations.flatMap { combination in
                condition.alternatives.map { combination + [Part(index: condition.index, comparison: $0)] }
            }
        }
    }

    /// The number of combinations; nil if it overflows `Int`.
    private var combinationCount: Int? {
        conditions.reduce(Optional(1)) { count, condition in
            let (product, isTooLarge) = (count ?? 0).multipliedReportingOverflow(by: condition.alternatives.count)
            return count == nil || isTooLarge ? nil : product
        }
    }

    /// The most combinations that one call and one policy may have. Everything that reads rules examines each
    /// combination. The kernel accepts 4,096 instructions, and each combination costs at least two.
    static let mostCombinations = (ofCall: 1024, ofPolicy: 4096)

    /// Counts the combinations of one call's rules.
    /// - Returns: the number of combinations.
    /// - Throws: if there are more than `mostCombinations.ofCall`.
    @discardableResult
    static func count(_ rules: [CallRule]) throws(PolicyError) -> Int {
        var sum = 0
        for rule in rules {
            // Each count is checked before it is added, so the sum cannot overflow.
            guard let count = rule.combinationCount, count <= mostCombinations.ofCall,
                sum + count <= mostCombinations.ofCall
            else {
                throw PolicyError(
                    "`\(rule.call)` is decided in more than \(mostCombinations.ofCall) ways: the values of one "
                        + "argument multiply those of another; state fewer, or a mask",
                    at: rule.place)
            }
            sum += count
        }
        return sum
    }
}
