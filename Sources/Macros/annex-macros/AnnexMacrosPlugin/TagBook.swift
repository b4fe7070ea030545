internal import SwiftDiagnostics
internal import SwiftSyntax

/// The tags of one struct: the retired tags, the tags in use, and the next free tag.
struct TagBook {
    /// Every tag that the struct uses or has retired. A new tag is larger than all of them.
    private var known: Set<Int>
    private var retired: Set<Int> = []
    /// The names of the properties by their tags.
    private var owners: [Int: String] = [:]
    private(set) var diagnostics: [Diagnostic] = []

    /// - Parameters:
    ///   - attribute: the attribute `@Message`. Its arguments are the retired tags.
    ///   - used: all attributes `@FieldTag` of the struct.
    init(attribute: AttributeSyntax, used: [AttributeSyntax]) {
        known = Set(used.compactMap { $0.tagExpression?.tag })
        guard case .argumentList(let list) = attribute.arguments else { return }
        for argument in list {
            guard let tag = check(argument.expression) else { continue }
            if !retired.insert(tag).inserted {
                report(.retiredTwice(tag), at: argument.expression)
            }
        }
        known.formUnion(retired)
    }

    /// The smallest tag that is larger than all other tags; nil if no larger tag is possible.
    private var free: Int? {
        let next = (known.max() ?? 0) + 1
        return next <= Int(UInt16.max) ? next : nil
    }

    /// Reserves a free tag. So if two properties have no tag, the Fix-Its offer them different tags.
    mutating func reserve() -> Int? {
        guard let free else { return nil }
        known.insert(free)
        return free
    }

    /// The tag of a property. If the tag is a mistake, this function reports the mistake and returns nil.
    mutating func tag(in attribute: AttributeSyntax, of property: String) -> Int? {
        guard let expression = attribute.tagExpression else {
            report(.tagIsNoLiteral, at: attribute)
            return nil
        }
        guard let tag = check(expression, offersFree: true) else { return nil }
        if retired.contains(tag) {
            report(.tagIsRetired(tag), at: expression, offersFree: true)
            return nil
        }
        if let other = owners[tag] {
            report(.repeatedTag(tag, of: property, and: other), at: expression, offersFree: true)
            return nil
        }
        owners[tag] = property
        return tag
    }

    /// The tag that an expression states. If the expression cannot be a tag, this function reports the mistake and
    /// returns nil.
    private mutating func check(_ expression: ExprSyntax, offersFree: Bool = false) -> Int? {
        if let tag = expression.tag { return tag }
        let mistake = expression.isNumber ? Mistake.tagOutOfRange(expression.trimmedDescription) : .tagIsNoLiteral
        report(mistake, at: expression, offersFree: offersFree)
        return nil
    }

    /// - Parameter offersFree: whether a Fix-It offers the free tag for this place.
    private mutating func report(_ mistake: Mistake, at place: some SyntaxProtocol, offersFree: Bool = false) {
        var remedies: [FixIt] = []
        if offersFree, let tag = reserve() {
            let number = ExprSyntax(IntegerLiteralExprSyntax(literal: .integerLiteral(String(tag))))
            remedies = [Remedy("useFreeTag", text: "Use the tag \(tag), which is free").replacing(place, with: number)]
        }
        diagnostics.append(Diagnostic(node: place, message: mistake, fixIts: remedies))
    }
}

extension AttributeSyntax {
    /// The number in `@FieldTag(number)`.
    fileprivate var tagExpression: ExprSyntax? {
        guard case .argumentList(let list) = arguments else { return nil }
        return list.first?.expression
    }
}

extension ExprSyntax {
    /// The number of a literal, if it can be a tag.
    fileprivate var tag: Int? {
        guard let number = self.as(IntegerLiteralExprSyntax.self)?.representedLiteralValue else { return nil }
        return (1...Int(UInt16.max)).contains(number) ? number : nil
    }

    /// Whether this is an integer literal. The literal may have a sign, and may be larger than any supported number.
    fileprivate var isNumber: Bool {
        let unsigned = self.as(PrefixOperatorExprSyntax.self)?.expression ?? self
        return unsigned.is(IntegerLiteralExprSyntax.self)
    }
}
