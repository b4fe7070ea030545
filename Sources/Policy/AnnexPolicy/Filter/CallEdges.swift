/// Registers at which rules about one call change their answers.
///
/// For each way in which a rule may apply: each compared register at each of its edges while the others fit. Beyond
/// that, where rules overlap: every choice of a fitting or failing value for each compared register.
struct CallEdges {
    /// The choices of the second kind are bounded; the first kind is always whole.
    static let mostChoices = 4096

    let arguments: [[UInt64]]

    init(rules: [CallRule]) {
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
