internal import SwiftDiagnostics
internal import SwiftSyntax

/// The access level of a message. The message's functions need the same level.
struct MessageAccess {
    /// The text before each function.
    let prefix: String
    /// The mistake if the macro's extension cannot name the struct; otherwise nil.
    let diagnostic: Diagnostic?

    /// - Parameters:
    ///   - message: the struct with the attribute.
    ///   - around: the declarations that surround the struct, the closest first.
    init(of message: StructDeclSyntax, in around: [Syntax]) {
        // If a struct in an extension states no access level, it has the level of that extension.
        switch message.modifiers.level ?? around.first?.as(ExtensionDeclSyntax.self)?.modifiers.level {
        case .public: prefix = "public "
        case .package: prefix = "package "
        default: prefix = ""
        }
        // The macro's extension is at the top level of the file, so the extension cannot name a struct that is
        // private to a type.
        let types = ([Syntax(message)] + around).compactMap { $0.asProtocol((any WithModifiersSyntax).self) }
        let isHidden = types.dropLast().contains { $0.modifiers.level == .private }
        diagnostic = isHidden ? Self.hidden(message) : nil
    }

    private static func hidden(_ message: StructDeclSyntax) -> Diagnostic {
        guard let own = message.modifiers.first(where: { $0.level == .private })?.name else {
            return Diagnostic(node: message.name, message: Mistake.hidden)
        }
        let remedy = Remedy("useFileprivate", text: "Use 'fileprivate'")
            .replacing(own, with: own.with(\.tokenKind, .keyword(.fileprivate)))
        return Diagnostic(node: own, message: Mistake.hidden, fixIts: [remedy])
    }
}

extension DeclModifierSyntax {
    /// The access level that the modifier gives. Nil if the modifier is of another kind, such as `private(set)` or
    /// `static`.
    fileprivate var level: Keyword? {
        guard detail == nil, case .keyword(let word) = name.tokenKind else { return nil }
        return [.public, .package, .internal, .fileprivate, .private].contains(word) ? word : nil
    }
}

extension DeclModifierListSyntax {
    fileprivate var level: Keyword? { lazy.compactMap(\.level).first }
}
