extension CallRule {
    /// One register's comparison.
    struct Part: Sendable {
        let index: Int
        let comparison: Comparison
    }

    /// Every way to choose one alternative per condition: libseccomp knows "and" only.
    var combinations: [[Part]] {
        conditions.reduce([[]]) { combinations, condition in
            combinations.flatMap { combination in
                condition.alternatives.map { combination + [Part(index: condition.index, comparison: $0)] }
            }
        }
    }

    /// How many there are; nil for more than can be counted.
    private var combinationCount: Int? {
        conditions.reduce(Optional(1)) { count, condition in
            let (product, isTooLarge) = (count ?? 0).multipliedReportingOverflow(by: condition.alternatives.count)
            return count == nil || isTooLarge ? nil : product
        }
    }

    /// For one call, and for all of a policy. Everything that reads rules looks at each combination; the kernel takes
    /// 4,096 instructions, and each combination costs two or more.
    static let mostCombinations = (ofCall: 1024, ofPolicy: 4096)

    /// Refuses rules of one call that together apply in more ways than anybody can look at.
    /// - Returns: how many there are.
    @discardableResult
    static func count(_ rules: [CallRule]) throws(PolicyError) -> Int {
        var sum = 0
        for rule in rules {
            // Each by itself first: then the sum cannot be too large to be counted.
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
