internal import AnnexLinux

/// Parses the tokens of a predicate by recursive descent with a bounded depth.
///
/// The parser knows the kind of each expression: items, attachments, types, a number or a text. If a predicate compares
/// kinds that cannot be compared, the parser reports an error with a column. So no evaluation has to handle such a
/// comparison.
struct PredicateParser {
    /// What a bracket may hold: a condition, or an operand of a comparison.
    enum Part {
        case condition(Condition)
        case operand(PredicateOperand, column: Int)
    }

    private let tokens: [PredicateToken]
    private var place = 0
    private var depth = 0
    /// The variables in force, with the element that each variable stands for. A variable's slot is its index here.
    private(set) var variables: [(name: String, element: PredicateOperand)] = []
    private(set) var mostSlots = 0
    /// The number of texts that were read so far.
    private(set) var literals = 0

    init(_ tokens: [PredicateToken]) {
        self.tokens = tokens
    }

    mutating func predicate() throws(PredicateError) -> Condition {
        let condition = try condition()
        guard token.kind == .end else { throw unexpected(remedy: "remove it, or join it with AND or OR") }
        return condition
    }

    mutating func newLiteral(_ text: String) -> PredicateLiteral {
        defer { literals += 1 }
        return PredicateLiteral(text, number: literals)
    }

    // MARK: Tokens

    var token: PredicateToken { tokens.indices.contains(place) ? tokens[place] : PredicateToken(kind: .end, column: 1) }

    mutating func advance() { place += 1 }

    mutating func skip(sign: String) -> Bool {
        guard token.kind == .sign(sign) else { return false }
        advance()
        return true
    }

    mutating func skip(keyword: String) -> Bool {
        guard case .word(let word) = token.kind, word.uppercased() == keyword else { return false }
        advance()
        return true
    }

    mutating func expect(_ sign: String) throws(PredicateError) {
        guard skip(sign: sign) else { throw unexpected(remedy: "write \(sign) here") }
    }

    func unexpected(remedy: String) -> PredicateError {
        let what =
            switch token.kind {
            case .end: "the predicate ends too early"
            case .word(let text), .sign(let text): "\(Escaped(text, limit: 60)) cannot stand here"
            case .variable(let name): "$\(Escaped(name, limit: 60)) cannot stand here"
            case .operation(let name): "@\(Escaped(name, limit: 60)) cannot stand here"
            case .number(let number): "\(number) cannot stand here"
            case .text(let text): "\(Escaped(quoting: text.utf8, limit: 60)) cannot stand here"
            }
        return PredicateError(column: token.column, what: what, remedy: remedy)
    }

    /// Runs `body` one level deeper, and then returns to the current level.
    mutating func deeper<Result>(
        _ body: (inout PredicateParser) throws(PredicateError) -> Result
    ) throws(PredicateError) -> Result {
        guard depth < ActivationPredicate.deepest else {
            throw PredicateError(
                column: token.column, what: "the predicate is nested deeper than \(ActivationPredicate.deepest)",
                remedy: "remove brackets and negations")
        }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    // MARK: Conditions

    mutating func condition() throws(PredicateError) -> Condition {
        try asCondition(try either())
    }

    private func asCondition(_ part: Part) throws(PredicateError) -> Condition {
        switch part {
        case .condition(let condition): return condition
        case .operand(let operand, let column):
            throw PredicateError(
                column: column, what: "\(operand.words) is not a condition", remedy: "compare it, such as with == or >="
            )
        }
    }

    private mutating func either() throws(PredicateError) -> Part {
        let first = try conjunction()
        var parts: [Condition] = []
        while skip(keyword: "OR") || skip(sign: "||") {
            if parts.isEmpty { parts.append(try asCondition(first)) }
            parts.append(try asCondition(try conjunction()))
        }
        return parts.isEmpty ? first : .condition(.any(parts))
    }

    private mutating func conjunction() throws(PredicateError) -> Part {
        let first = try term()
        var parts: [Condition] = []
        while skip(keyword: "AND") || skip(sign: "&&") {
            if parts.isEmpty { parts.append(try asCondition(first)) }
            parts.append(try asCondition(try term()))
        }
        return parts.isEmpty ? first : .condition(.all(parts))
    }

    private mutating func term() throws(PredicateError) -> Part {
        if skip(keyword: "NOT") || skip(sign: "!") {
            return .condition(
                .not(
                    try deeper { parser throws(PredicateError) in
                        try parser.asCondition(try parser.term())
                    }))
        }
        if skip(keyword: "TRUEPREDICATE") { return .condition(.constant(true)) }
        if skip(keyword: "FALSEPREDICATE") { return .condition(.constant(false)) }
        if let quantifier = quantifier() { return .condition(try quantified(quantifier)) }
        let part = try primary()
        guard case .operand(let left, let column) = part, let comparison = try comparison() else { return part }
        return .condition(try compare(left, at: column, by: comparison))
    }

    private mutating func quantifier() -> Quantifier? {
        if skip(keyword: "ANY") || skip(keyword: "SOME") { return .any }
        if skip(keyword: "ALL") { return .all }
        return skip(keyword: "NONE") ? Quantifier.none : nil
    }

    /// Reads a bracket or an operand.
    mutating func primary() throws(PredicateError) -> Part {
        let column = token.column
        guard skip(sign: "(") else { return .operand(try withKeys(try literal(), at: column), column: column) }
        let inner = try deeper { parser throws(PredicateError) in try parser.either() }
        try expect(")")
        guard case .operand(let operand, _) = inner else { return inner }
        return .operand(try withKeys(operand, at: column), column: column)
    }

    // MARK: Variables

    /// Reads the condition of a subquery. The variable of the subquery is in force only in this condition.
    mutating func scoped(
        _ name: String, as element: (_ slot: Int) -> PredicateOperand
    ) throws(PredicateError) -> (slot: Int, condition: Condition) {
        let slot = variables.count
        variables.append((name, element(slot)))
        mostSlots = max(mostSlots, variables.count)
        defer { variables.removeLast() }
        let condition = try deeper { parser throws(PredicateError) in try parser.condition() }
        return (slot, condition)
    }
}
