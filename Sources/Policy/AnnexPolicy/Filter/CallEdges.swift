/// Register values near the points at which the rules about one call change their answers.
///
/// There are two kinds of values. For the first kind, the code takes each combination of comparisons with which a rule
/// applies. Each compared register takes each of its edge values, and the other registers hold values that fit. For the
/// second kind, each compared register takes a fitting and a failing value, in every combination. The second kind is
/// needed because rules may overlap.
package struct CallEdges {
    /// The most combinations of the second kind. The first kind is always complete.
    static let mostChoices = 4096

    package let arguments: [[UInt64]]

    package init(rules: [CallRule]) {
        var all: Set<[UInt64]> = [[UInt64](repeating: 0, count: 6), [UInt64](repeating: .max, count: 6)]
        for combination in rules.flatMap(\.combinations) { all.formUnion(Self.around(combination)) }
        all.formUnion(Self.choices(rules))
        arguments = all.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private static func around(_ combination: [CallRule.Part]) -> [[UInt64]] {
        var fitting: [UInt64] = [0, 0, 0, 0, 0, 0]
        for part in combination { fitting[part.index] = part.comparison.fitting }
        return [fitting]
            + combination.flatMap { part in
                part.comparison.boundaries.map { edge in
                    var registers = fitting
                    registers[part.index] = edge
                    return registers
                }
            }
    }

    private static func choices(_ rules: [CallRule]) -> [[UInt64]] {
        var values: [Int: [UInt64]] = [:]
        for condition in rules.flatMap(\.conditions) {
            for comparison in condition.alternatives {
                let failing = comparison.boundaries.first { !comparison.holds($0) }
                for value in [comparison.fitting] + [failing].compactMap({ $0 })
                where values[condition.index]?.contains(value) != true {
                    values[condition.index, default: []].append(value)
                }
            }
        }
        var all: [[UInt64]] = [[0, 0, 0, 0, 0, 0]]
        for (index, choices) in values.sorted(by: { $0.key < $1.key }) where all.count * choices.count <= mostChoices {
            all = all.flatMap { registers in
                choices.map { choice in
                    var registers = registers
                    registers[index] = choice
                    return registers
                }
            }
        }
        return all
    }
}
