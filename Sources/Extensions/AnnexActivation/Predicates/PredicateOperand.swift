internal import AnnexLinux

/// An operand of a comparison, and the kind of its value.
enum PredicateOperand: Sendable {
    case number(NumberExpression)
    case text(TextExpression)
    case item(slot: Int)
    case attachment(slot: Int)
    case collection(CollectionExpression, of: ElementKind)
    case list([PredicateOperand])

    enum ElementKind: Sendable {
        case item, attachment, type
    }

    /// The kind of the operand, for messages.
    var words: String {
        switch self {
        case .number: "a number"
        case .text: "a text"
        case .item: "an item"
        case .attachment: "an attachment"
        case .collection(_, of: .item): "a collection of items"
        case .collection(_, of: .attachment): "a collection of attachments"
        case .collection(_, of: .type): "a collection of types"
        case .list: "a list"
        }
    }
}

extension PredicateParser {
    private static let items = "extensionItems"
    private static let attachments = "attachments"
    private static let types = "registeredTypeIdentifiers"
    /// The most members of a list in braces.
    private static let longestList = 256

    /// Reads a literal, a variable, a subquery, or the first key of a path.
    mutating func literal() throws(PredicateError) -> PredicateOperand {
        let column = token.column
        switch token.kind {
        case .number(let value):
            advance()
            return .number(.literal(value))
        case .text(let value):
            advance()
            return .text(.literal(newLiteral(value)))
        case .variable(let name):
            advance()
            guard let found = variables.last(where: { $0.name == name }) else {
                throw PredicateError(
                    column: column, what: "$\(Escaped(name, limit: 60)) is not a variable here",
                    remedy: "name it in a SUBQUERY around this place")
            }
            return found.element
        case .sign("{"): return try list()
        case .word(let word): return try named(word)
        default: throw unexpected(remedy: "write extensionItems, a variable, a SUBQUERY, a number or a text")
        }
    }

    private mutating func named(_ word: String) throws(PredicateError) -> PredicateOperand {
        let column = token.column
        switch word.uppercased() {
        case "SUBQUERY":
            advance()
            return try subquery()
        case "TRUE", "YES":
            advance()
            return .number(.literal(1))
        case "FALSE", "NO":
            advance()
            return .number(.literal(0))
        default: break
        }
        guard word == Self.items else {
            throw PredicateError(
                column: column, what: "\(Escaped(word, limit: 60)) is not a key that a rule can read",
                remedy: "start with extensionItems, or with the variable of a SUBQUERY")
        }
        advance()
        return .collection(.items, of: .item)
    }

    /// Reads a list. Its members are literals or variables, so a list cannot contain a list.
    private mutating func list() throws(PredicateError) -> PredicateOperand {
        advance()
        var members: [PredicateOperand] = []
        if skip(sign: "}") { return .list([]) }
        repeat {
            let column = token.column
            guard members.count < Self.longestList, token.kind != .sign("{") else {
                throw PredicateError(
                    column: column, what: "a list holds a list or more than \(Self.longestList) members",
                    remedy: "list numbers or texts")
            }
            let member = try deeper { parser throws(PredicateError) in
                try parser.withKeys(try parser.literal(), at: column)
            }
            members.append(member)
        } while skip(sign: ",")
        try expect("}")
        return .list(members)
    }

    /// Reads `(collection, $variable, condition)` after the word `SUBQUERY`.
    private mutating func subquery() throws(PredicateError) -> PredicateOperand {
        try expect("(")
        let column = token.column
        let source = try deeper { parser throws(PredicateError) in try parser.primary() }
        guard case .operand(.collection(let collection, let element), _) = source else {
            throw PredicateError(
                column: column, what: "SUBQUERY goes through a collection, and this is none",
                remedy: "write extensionItems, attachments or registeredTypeIdentifiers")
        }
        try expect(",")
        guard case .variable(let name) = token.kind else {
            throw unexpected(remedy: "write a variable, such as $attachment")
        }
        advance()
        try expect(",")
        let (slot, condition) = try scoped(name) { slot in
            switch element {
            case .item: .item(slot: slot)
            case .attachment: .attachment(slot: slot)
            case .type: .text(.variable(slot: slot))
            }
        }
        try expect(")")
        return .collection(.filtered(collection, slot: slot, by: condition), of: element)
    }

    // MARK: Key paths

    /// Reads the keys that follow an operand, and returns the operand with these keys.
    mutating func withKeys(_ operand: PredicateOperand, at column: Int) throws(PredicateError) -> PredicateOperand {
        var operand = operand
        while skip(sign: ".") { operand = try key(of: operand) }
        return operand
    }

    private mutating func key(of operand: PredicateOperand) throws(PredicateError) -> PredicateOperand {
        let column = token.column
        defer { advance() }
        switch (operand, token.kind) {
        case (.collection(let collection, _), .operation("count")): return .number(.count(collection))
        case (.item(let slot), .word(Self.attachments)): return .collection(.attachments(slot: slot), of: .attachment)
        case (.attachment(let slot), .word(Self.types)): return .collection(.types(slot: slot), of: .type)
        case (_, .operation(let name)):
            throw PredicateError(
                column: column, what: "@\(Escaped(name, limit: 60)) of \(operand.words) is not known",
                remedy: "write @count after a collection")
        case (.collection(_, of: .item), .word), (.collection(_, of: .attachment), .word):
            throw PredicateError(
                column: column, what: "\(operand.words) has no keys but @count",
                remedy: "go through its members with a SUBQUERY")
        case (_, .word(let name)):
            throw PredicateError(
                column: column, what: "\(operand.words) has no key \(Escaped(name, limit: 60))",
                remedy: Self.keys(of: operand))
        default: throw unexpected(remedy: "write a key")
        }
    }

    private static func keys(of operand: PredicateOperand) -> String {
        switch operand {
        case .item: "an item has the key \(attachments)"
        case .attachment: "an attachment has the key \(types)"
        default: "remove the key"
        }
    }
}
