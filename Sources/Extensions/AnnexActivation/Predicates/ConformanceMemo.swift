/// The results of the conformance tests of one evaluation. Each pair of a type and a text is looked up only once.
/// This saves time, because many attachments have the same types, and a rule tests each attachment.
struct ConformanceMemo {
    private enum Outcome {
        static let unknown: UInt8 = 0
        static let fails: UInt8 = 1
        static let holds: UInt8 = 2
    }

    private let types: Int
    /// A row for each text of the predicate, with a place for each type. The array is empty if it would be too large.
    private var outcomes: [UInt8]

    /// The most results that are kept.
    private static let most = 1 << 14

    init(literals: Int, types: Int) {
        self.types = types
        let (count, overflows) = literals.multipliedReportingOverflow(by: types)
        outcomes = overflows || count > Self.most ? [] : Array(repeating: Outcome.unknown, count: count)
    }

    /// Whether a type of the items is the type that a text names, or a kind of that type.
    mutating func holds(_ type: Int, conformsTo literal: PredicateLiteral, in items: OfferedItems) -> Bool {
        let place = literal.number * types + type
        guard outcomes.indices.contains(place) else { return Self.look(up: type, literal, in: items) }
        if outcomes[place] == Outcome.unknown {
            outcomes[place] = Self.look(up: type, literal, in: items) ? Outcome.holds : Outcome.fails
        }
        return outcomes[place] == Outcome.holds
    }

    private static func look(up type: Int, _ literal: PredicateLiteral, in items: OfferedItems) -> Bool {
        items.types[type].ancestors.contains(literal.type.folded)
    }
}
