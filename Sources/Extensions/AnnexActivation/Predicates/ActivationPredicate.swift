/// An activation rule in the form of a predicate. It uses the part of Apple's predicate language that such rules need.
///
/// The predicate can read the types and counts of the items: `extensionItems`, the `attachments` of an item, and the
/// `registeredTypeIdentifiers` of an attachment. For any text outside this language, the reader throws an error with
/// the column of that text.
package struct ActivationPredicate: Sendable {
    let condition: Condition
    /// The most variables that are in force at the same time. Each of these variables has a slot, which holds the
    /// element that the variable stands for.
    let slots: Int
    /// The number of texts in the predicate.
    let literals: Int
    /// The length of the predicate's text, in bytes.
    let bytes: Int

    /// The longest predicate, in bytes. Among the predicates of 79 real extensions, the longest has 2,900 bytes.
    package static let longest = 16_384
    /// The deepest nesting of brackets, subqueries and negations. This limit bounds the parser's stack.
    package static let deepest = 64
    /// The most steps of a decision. Real predicates need some dozens of steps.
    package static let mostSteps = 20_000

    /// Reads a predicate from an untrusted source. Hostile text makes the reader throw, but never trap.
    package init(_ text: String) throws(PredicateError) {
        guard text.utf8.count <= Self.longest else {
            throw PredicateError(
                column: Self.longest + 1, what: "the predicate is longer than \(Self.longest) bytes",
                remedy: "shorten it")
        }
        var parser = PredicateParser(try PredicateTokens.read(Array(text.utf8)))
        condition = try parser.predicate()
        slots = parser.mostSlots
        literals = parser.literals
        bytes = text.utf8.count
    }

    /// Whether the predicate holds for everything, as `TRUEPREDICATE` does.
    package var isAlwaysTrue: Bool { condition.constant == true }

    /// Whether the predicate holds for the items.
    ///
    /// - Throws: `PredicateLimit` after `mostSteps` steps.
    package func holds(for items: OfferedItems) throws(PredicateLimit) -> Bool {
        var run = PredicateRun(items: items, slots: slots, literals: literals, steps: Self.mostSteps)
        return try run.holds(condition)
    }
}

/// The error for a predicate that needs too many steps for its decision.
package struct PredicateLimit: Error, Sendable, Hashable {}

/// Why a text is not a predicate of an activation rule.
package struct PredicateError: Error, Sendable, Hashable {
    /// The place of the fault, in bytes from the start of the text. The first byte has the column 1.
    package let column: Int
    /// The fault, in a line.
    package let what: String
    /// The remedy.
    package let remedy: String

    init(column: Int, what: String, remedy: String) {
        self.column = column
        self.what = what
        self.remedy = remedy
    }
}

extension PredicateError: CustomStringConvertible {
    package var description: String { "column \(column): \(what); \(remedy)" }
}

// MARK: - The parts of a predicate

/// A condition in a predicate. It either holds or does not hold.
indirect enum Condition: Sendable {
    case constant(Bool)
    case all([Condition])
    case any([Condition])
    case not(Condition)
    case number(NumberExpression, NumberOrder, NumberExpression)
    case text(TextExpression, TextTest)
    /// Tests the types in a collection.
    case types(Quantifier, CollectionExpression, TextTest)

    /// The value of the condition if it is obviously the same for all items; otherwise nil.
    var constant: Bool? {
        switch self {
        case .constant(let value): value
        case .not(let part): part.constant.map { !$0 }
        case .any(let parts): parts.contains { $0.constant == true } ? true : nil
        case .all(let parts):
            parts.allSatisfy { $0.constant == true } ? true : parts.contains { $0.constant == false } ? false : nil
        default: nil
        }
    }
}

enum Quantifier: Sendable {
    case any, all, none
}

enum NumberOrder: Sendable {
    case less, lessOrEqual, equal, notEqual, greaterOrEqual, greater

    func holds(_ left: Double, and right: Double) -> Bool {
        switch self {
        case .less: left < right
        case .lessOrEqual: left <= right
        case .equal: left == right
        case .notEqual: left != right
        case .greaterOrEqual: left >= right
        case .greater: left > right
        }
    }
}

enum NumberExpression: Sendable {
    case literal(Double)
    case count(CollectionExpression)
}

enum TextExpression: Sendable {
    /// A text of the predicate. If the text stands for a type, this type is a kind of itself only, because no table
    /// is asked for it.
    case literal(PredicateLiteral)
    /// The type that a variable stands for.
    case variable(slot: Int)
}

/// A text of a predicate, with its number among all texts of the predicate.
final class PredicateLiteral: Sendable {
    let type: OfferedItems.OfferedType
    let number: Int

    init(_ text: String, number: Int) {
        type = OfferedItems.OfferedType(text: text)
        self.number = number
    }
}

/// The elements that a predicate counts or tests.
indirect enum CollectionExpression: Sendable {
    case items
    case attachments(slot: Int)
    case types(slot: Int)
    /// The elements for which a condition holds. While the condition is tested for an element, the slot holds this
    /// element.
    case filtered(CollectionExpression, slot: Int, by: Condition)
}

/// The test that a text must pass.
enum TextTest: Sendable {
    case conforms(to: TextExpression)
    case isType(TextExpression)
    case equals(TextExpression, ignoringCase: Bool)
    case differs(TextExpression, ignoringCase: Bool)
    case begins(TextExpression, ignoringCase: Bool)
    case ends(TextExpression, ignoringCase: Bool)
    case contains(TextExpression, ignoringCase: Bool)
    /// The pattern knows whether it ignores case.
    case matches(TextPattern)
    case isOne(of: [TextExpression], ignoringCase: Bool)
    case isAmong(CollectionExpression, ignoringCase: Bool)
}
