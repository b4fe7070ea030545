internal import SwiftDiagnostics
internal import SwiftSyntax

/// The level of access of a message, which its functions need too.
struct MessageAccess {
    /// What stands before each function.
    let prefix: String
    /// The mistake, if the extension of the macro could not name the struct.
    let diagnostic: Diagnostic?

    /// - Parameters:
    ///   - message: the struct.
    ///   - around: the declarations around the struct, the closest one first.
    init(of message: StructDeclSyntax, in around: [Syntax]) {
        // A struct without a level in an extension has the level of the extension.
        switch message.modifiers.level ?? around.first?.as(ExtensionDeclSyntax.self)?.modifiers.level {
        case .public: prefix = "public "
        case .package: prefix = "package "
        default: prefix = ""
        }
        // The extension stands at the top level of the file. So it cannot name a struct that is private to a type.
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
    /// The level of access that the modifier gives; nil if it is of another kind, such as `private(set)` or `static`.
    fileprivate var level: Keyword? {
        guard detail == nil, case .keyword(let word) = name.tokenKind else { return nil }
        return [.public, .package, .internal, .fileprivate, .private].contains(word) ? word : nil
    }
}

extension DeclModifierListSyntax {
    fileprivate var level: Keyword? { lazy.compactMap(\.level).first }
}
