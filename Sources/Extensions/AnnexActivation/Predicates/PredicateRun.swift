/// One evaluation of a predicate for items, in a bounded number of steps.
///
/// Equal elements are visited once, and their number is taken into account.
struct PredicateRun {
    private let items: OfferedItems
    /// The place of the element that each variable stands for.
    private var slots: [Int]
    private var steps: Int
    /// The results of conformance tests.
    private var conformance: ConformanceMemo

    /// How many visits of places in a text pattern count as one step.
    private static let visitsOfStep = 16
    /// How many compared bytes count as one step.
    private static let bytesOfStep = 256

    init(items: OfferedItems, slots: Int, literals: Int, steps: Int) {
        self.items = items
        conformance = ConformanceMemo(literals: literals, types: items.types.count)
        self.slots = Array(repeating: 0, count: slots)
        self.steps = steps
    }

    private mutating func spend(_ count: Int = 1) throws(PredicateLimit) {
        guard steps >= count else { throw PredicateLimit() }
        steps -= count
    }

    mutating func holds(_ condition: Condition) throws(PredicateLimit) -> Bool {
        try spend()
        switch condition {
        case .constant(let value): return value
        case .not(let part): return try !holds(part)
        case .all(let parts):
            for part in parts where try !holds(part) { return false }
            return true
        case .any(let parts):
            for part in parts where try holds(part) { return true }
            return false
        case .types(let quantifier, .types(let slot), .conforms(.literal(let literal))):
            return try conforms(to: literal, for: quantifier, of: items.attachments[slots[slot]].types)
        case .number(let left, let order, let right): return order.holds(try value(of: left), and: try value(of: right))
        case .text(let text, let test): return try holds(test, for: text)
        case .types(let quantifier, let collection, let test): return try holds(test, for: quantifier, of: collection)
        }
    }

    // MARK: Collections

    private mutating func value(of number: NumberExpression) throws(PredicateLimit) -> Double {
        switch number {
        case .literal(let value): value
        case .count(let collection): Double(try count(of: collection))
        }
    }

    /// The number of elements in a collection. The elements of a filtered collection are counted without building a
    /// list.
    private mutating func count(of collection: CollectionExpression) throws(PredicateLimit) -> Int {
        guard case .filtered(let source, let slot, let condition) = collection else {
            return try elements(of: collection).reduce(0) { $0 + $1.count }
        }
        try spend()
        var count = 0
        for group in try elements(of: source) {
            slots[slot] = group.place
            if try holds(condition) { count += group.count }
        }
        return count
    }

    private mutating func elements(of collection: CollectionExpression) throws(PredicateLimit) -> [OfferedItems.Group] {
        try spend()
        switch collection {
        case .items: return items.groups
        case .attachments(let slot): return items.items[slots[slot]].attachments
        case .types(let slot):
            return items.attachments[slots[slot]].types.map { OfferedItems.Group(place: $0, count: 1) }
        case .filtered(let source, let slot, let condition):
            var found: [OfferedItems.Group] = []
            for group in try elements(of: source) {
                slots[slot] = group.place
                if try holds(condition) { found.append(group) }
            }
            return found
        }
    }

    private mutating func holds(
        _ test: TextTest, for quantifier: Quantifier, of collection: CollectionExpression
    ) throws(PredicateLimit) -> Bool {
        for type in try elements(of: collection) {
            let holds = try holds(test, for: items.types[type.place])
            switch quantifier {
            case .any: if holds { return true }
            case .all: if !holds { return false }
            case .none: if holds { return false }
            }
        }
        return quantifier != .any
    }

    /// The test that occurs most in rules: whether types of an attachment conform to a type that the rule names.
    private mutating func conforms(
        to literal: PredicateLiteral, for quantifier: Quantifier, of types: [Int]
    ) throws(PredicateLimit) -> Bool {
        try spend()
        for type in types {
            try spend()
            let holds = conformance.holds(type, conformsTo: literal, in: items)
            switch quantifier {
            case .any: if holds { return true }
            case .all: if !holds { return false }
            case .none: if holds { return false }
            }
        }
        return quantifier != .any
    }

    // MARK: Texts

    private mutating func holds(_ test: TextTest, for text: TextExpression) throws(PredicateLimit) -> Bool {
        try holds(test, for: type(of: text))
    }

    private func type(of text: TextExpression) -> OfferedItems.OfferedType {
        switch text {
        case .literal(let literal): literal.type
        case .variable(let slot): items.types[slots[slot]]
        }
    }

    private mutating func holds(_ test: TextTest, for type: OfferedItems.OfferedType) throws(PredicateLimit) -> Bool {
        try spend()
        switch test {
        case .conforms(let other): return type.ancestors.contains(string(other, ignoringCase: true))
        case .isType(let other): return type.folded == string(other, ignoringCase: true)
        case .equals(let other, let ignoringCase):
            return type.text(ignoringCase: ignoringCase) == string(other, ignoringCase: ignoringCase)
        case .differs(let other, let ignoringCase):
            return type.text(ignoringCase: ignoringCase) != string(other, ignoringCase: ignoringCase)
        case .begins(let other, let ignoringCase):
            return type.text(ignoringCase: ignoringCase).utf8.starts(
                with: string(other, ignoringCase: ignoringCase).utf8)
        case .ends(let other, let ignoringCase):
            return type.text(ignoringCase: ignoringCase).utf8.reversed()
                .starts(with: string(other, ignoringCase: ignoringCase).utf8.reversed())
        case .contains(let other, let ignoringCase):
            return try contains(
                string(other, ignoringCase: ignoringCase), in: type.text(ignoringCase: ignoringCase))
        case .matches(let pattern):
            try spend(pattern.cost(for: type.identifier) / Self.visitsOfStep)
            return pattern.matches(type.identifier)
        case .isOne(let others, let ignoringCase):
            try spend(others.count)
            return others.contains { string($0, ignoringCase: ignoringCase) == type.text(ignoringCase: ignoringCase) }
        case .isAmong(let collection, let ignoringCase):
            return try elements(of: collection).contains {
                items.types[$0.place].text(ignoringCase: ignoringCase) == type.text(ignoringCase: ignoringCase)
            }
        }
    }

    private func string(_ text: TextExpression, ignoringCase: Bool) -> String {
        type(of: text).text(ignoringCase: ignoringCase)
    }

    private mutating func contains(_ part: String, in text: String) throws(PredicateLimit) -> Bool {
        let part = Array(part.utf8)
        let text = Array(text.utf8)
        try spend(part.count * text.count / Self.bytesOfStep)
        guard part.count <= text.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
    }
}

extension OfferedItems.OfferedType {
    fileprivate func text(ignoringCase: Bool) -> String { ignoringCase ? folded : identifier }
}
