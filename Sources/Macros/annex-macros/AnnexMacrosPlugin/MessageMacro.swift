internal import SwiftDiagnostics
public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@Message` adds an extension with `encode(into:)` and `init(from:)`.
public struct MessageMacro: ExtensionMacro {
    /// Reads the struct, reports its mistakes, and writes the extension.
    /// - Parameters:
    ///   - node: the attribute. It has the retired tags.
    ///   - declaration: the struct. Any other declaration is a mistake.
    ///   - type: the name of the struct, with the types that surround it.
    ///   - protocols: `Message`; empty if the struct itself states the conformance.
    ///   - context: states which declarations surround the struct, and receives the diagnostics.
    /// - Returns: the extension; empty if the declaration cannot have one.
    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let message = declaration.as(StructDeclSyntax.self) else {
            context.diagnose(.init(node: node, message: Mistake.notAStruct(declaration)))
            return []
        }
        let access = MessageAccess(of: message, in: context.lexicalContext)
        if let diagnostic = access.diagnostic {
            context.diagnose(diagnostic)
            return []
        }
        var reader = StructReader(message, attribute: node)
        reader.read()
        for diagnostic in reader.diagnostics { context.diagnose(diagnostic) }
        let code = MessageCode(
            type: type.trimmedDescription, conforms: !protocols.isEmpty, access: access.prefix,
            fields: reader.diagnostics.isEmpty ? reader.fields : nil)
        return [try code.extension()]
    }
}
