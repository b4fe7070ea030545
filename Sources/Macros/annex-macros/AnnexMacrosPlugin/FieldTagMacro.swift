internal import SwiftCompilerPlugin
internal import SwiftDiagnostics
public import SwiftSyntax
public import SwiftSyntaxMacros

/// The program that the compiler starts to expand the macros.
@main
struct AnnexMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [MessageMacro.self, FieldTagMacro.self]
}

/// `@FieldTag` marks a property for `@Message` and adds no code. The macro itself checks only that the tag is in a
/// message.
public struct FieldTagMacro: PeerMacro {
    /// Reports a tag outside a message. `MessageMacro` checks all tags inside messages.
    /// - Parameters:
    ///   - node: the attribute.
    ///   - declaration: the declaration that has the attribute.
    ///   - context: states which declaration surrounds the declaration with the attribute, and receives the
    ///     diagnostics.
    /// - Returns: no declaration.
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        let around = context.lexicalContext.first?.asProtocol((any WithAttributesSyntax).self)
        if around?.attributes.named("Message").isEmpty ?? true {
            context.diagnose(.init(node: node, message: Mistake.tagOutsideMessage))
        }
        return []
    }
}

extension AttributeListSyntax {
    /// The attributes with this name, with or without the name of the module.
    func named(_ name: String) -> [AttributeSyntax] {
        compactMap { $0.as(AttributeSyntax.self) }.filter { attribute in
            let words = attribute.attributeName.trimmedDescription.split(separator: ".")
            return words == [name[...]] || words == ["AnnexMacros", name[...]]
        }
    }
}
