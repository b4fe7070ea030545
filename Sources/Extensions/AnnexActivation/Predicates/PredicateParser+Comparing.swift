internal import AnnexLinux

/// The operator of a comparison.
struct PredicateComparison: Sendable {
    let name: String
    let column: Int
    /// Whether the operator ends with `[c]`. The other modifier, `[d]`, has no effect, because identifiers have no
    /// accents.
    let ignoresCase: Bool
}

extension PredicateParser {
    private static let orders: [String: NumberOrder] = [
        "==": .equal, "=": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual,
        "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
    ]
    private static let words: Set<String> = [
        "UTI-CONFORMS-TO", "UTI-EQUALS", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "MATCHES", "IN", "BETWEEN",
    ]

    /// Reads the operator that comes next; nil if there is none.
    mutating func comparison() throws(PredicateError) -> PredicateComparison? {
        let column = token.column
        let name: String
        switch token.kind {
        case .sign(let sign) where Self.orders[sign] != nil: name = sign
        case .word(let word) where Self.words.contains(word.uppercased()): name = word.uppercased()
        default: return nil
        }
        advance()
        return PredicateComparison(name: name, column: column, ignoresCase: try modifiers())
    }

    private mutating func modifiers() throws(PredicateError) -> Bool {
        guard skip(sign: "[") else { return false }
        guard case .word(let letters) = token.kind, letters.lowercased().allSatisfy("cd".contains) else {
            throw unexpected(remedy: "write [c], [d] or [cd]")
        }
        advance()
        try expect("]")
        return letters.lowercased().contains("c")
    }

    /// Reads `types OPERATOR operand` after the first word, which is `ANY`, `ALL` or `NONE`.
    mutating func quantified(_ quantifier: Quantifier) throws(PredicateError) -> Condition {
        guard case .operand(let left, let column) = try primary() else {
            throw unexpected(remedy: "write a collection of types after ANY, ALL or NONE")
        }
        guard case .collection(let collection, of: .type) = left else {
            throw PredicateError(
                column: column, what: "\(left.words) cannot be tested with ANY, ALL or NONE",
                remedy: "write registeredTypeIdentifiers of an attachment")
        }
        guard let comparison = try comparison() else {
            throw unexpected(remedy: "write an operator, such as UTI-CONFORMS-TO")
        }
        return .types(quantifier, collection, try test(by: comparison))
    }

    /// Reads the operand that comes next, and compares `left` with it.
    mutating func compare(
        _ left: PredicateOperand, at column: Int, by comparison: PredicateComparison
    ) throws(PredicateError) -> Condition {
        switch left {
        case .text(let text): return .text(text, try test(by: comparison))
        case .number(let number): return try compare(number: number, by: comparison)
        case .collection(let collection, of: .type) where comparison.name == "CONTAINS":
            return .text(try text(for: comparison), .isAmong(collection, ignoringCase: comparison.ignoresCase))
        case .collection(_, of: .type):
            throw PredicateError(
                column: column, what: "a collection of types cannot be compared as a whole",
                remedy: "write ANY, ALL or NONE before it")
        default:
            throw PredicateError(
                column: column, what: "\(left.words) cannot be compared", remedy: "compare its @count or its types")
        }
    }

    private mutating func compare(
        number left: NumberExpression, by comparison: PredicateComparison
    ) throws(PredicateError) -> Condition {
        if let order = Self.orders[comparison.name] { return .number(left, order, try number(for: comparison)) }
        let column = token.column
        guard comparison.name == "IN" || comparison.name == "BETWEEN",
            case .operand(.list(let members), _) = try primary()
        else { throw mismatch(comparison, with: "a number") }
        var numbers: [NumberExpression] = []
        for member in members {
            guard case .number(let number) = member else {
                throw PredicateError(
                    column: column, what: "the list holds \(member.words)", remedy: "list numbers only")
            }
            numbers.append(number)
        }
        if comparison.name == "IN" { return .any(numbers.map { .number(left, .equal, $0) }) }
        guard numbers.count == 2 else {
            throw PredicateError(
                column: column, what: "BETWEEN needs two numbers, not \(numbers.count)",
                remedy: "write { lowest, highest }")
        }
        return .all([.number(left, .greaterOrEqual, numbers[0]), .number(left, .lessOrEqual, numbers[1])])
    }

    private func mismatch(_ comparison: PredicateComparison, with words: String) -> PredicateError {
        PredicateError(
            column: comparison.column, what: "\(comparison.name) cannot compare \(words) with what follows",
            remedy: "compare a number with a number, and a type with a text")
    }

    private mutating func number(for comparison: PredicateComparison) throws(PredicateError) -> NumberExpression {
        guard case .operand(.number(let number), _) = try primary() else {
            throw mismatch(comparison, with: "a number")
        }
        return number
    }

    private mutating func text(for comparison: PredicateComparison) throws(PredicateError) -> TextExpression {
        guard case .operand(.text(let text), _) = try primary() else {
            throw mismatch(comparison, with: "a type or text")
        }
        return text
    }

    /// Reads the operand that comes next, and returns the test that the operator and this operand form.
    private mutating func test(by comparison: PredicateComparison) throws(PredicateError) -> TextTest {
        let ignoresCase = comparison.ignoresCase
        switch comparison.name {
        case "UTI-CONFORMS-TO": return .conforms(to: try text(for: comparison))
        case "UTI-EQUALS": return .isType(try text(for: comparison))
        case "==", "=": return .equals(try text(for: comparison), ignoringCase: ignoresCase)
        case "!=", "<>": return .differs(try text(for: comparison), ignoringCase: ignoresCase)
        case "BEGINSWITH": return .begins(try text(for: comparison), ignoringCase: ignoresCase)
        case "ENDSWITH": return .ends(try text(for: comparison), ignoringCase: ignoresCase)
        case "CONTAINS": return .contains(try text(for: comparison), ignoringCase: ignoresCase)
        case "LIKE", "MATCHES": return .matches(try pattern(for: comparison))
        case "IN": return try membership(by: comparison)
        default: throw mismatch(comparison, with: "a type or text")
        }
    }

    private mutating func membership(by comparison: PredicateComparison) throws(PredicateError) -> TextTest {
        switch try primary() {
        case .operand(.collection(let collection, of: .type), _):
            return .isAmong(collection, ignoringCase: comparison.ignoresCase)
        case .operand(.list(let members), let column):
            var texts: [TextExpression] = []
            for member in members {
                guard case .text(let text) = member else {
                    throw PredicateError(
                        column: column, what: "the list holds \(member.words)", remedy: "list texts only")
                }
                texts.append(text)
            }
            return .isOne(of: texts, ignoringCase: comparison.ignoresCase)
        default: throw mismatch(comparison, with: "a type or text")
        }
    }

    private mutating func pattern(for comparison: PredicateComparison) throws(PredicateError) -> TextPattern {
        let token = token
        guard case .text(let text) = token.kind else {
            throw unexpected(remedy: "write the pattern as a text in quotation marks")
        }
        advance()
        if comparison.name == "LIKE" { return TextPattern(wildcards: text, ignoringCase: comparison.ignoresCase) }
        do throws(TextPattern.Fault) {
            return try TextPattern(expression: text, ignoringCase: comparison.ignoresCase)
        } catch {
            throw PredicateError(column: token.column(ofByte: error.offset), what: error.what, remedy: error.remedy)
        }
    }
}
