import AnnexMacrosPlugin
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Expands macros in a text, as the compiler does. The compiler is not involved, so mistakes can be tested too.
enum Expanding {
    private static let macros: [String: MacroSpec] = [
        "Message": MacroSpec(type: MessageMacro.self, conformances: ["Message"]),
        "FieldTag": MacroSpec(type: FieldTagMacro.self),
    ]

    /// Expects that a text becomes another text, without a mistake.
    /// - Parameters:
    ///   - source: the text with macros.
    ///   - expanded: the text with the code of the macros.
    ///   - place: the caller, to which failures belong.
    static func expect(
        _ source: String, becomes expanded: String, at place: Testing.SourceLocation = #_sourceLocation
    ) {
        assertMacroExpansion(
            source, expandedSource: expanded, macroSpecs: macros, failureHandler: { fail($0.message, at: place) })
    }

    /// Expects exactly one mistake in a text.
    /// - Parameters:
    ///   - message: the words of the mistake.
    ///   - source: the text, in which `▲` stands before the place of the mistake.
    ///   - remedy: the words of the Fix-It; nil if there is none.
    ///   - fixed: the text after the Fix-It.
    ///   - place: the caller, to which failures belong.
    static func expect(
        mistake message: String, in source: String, remedy: String? = nil, fixed: String? = nil,
        at place: Testing.SourceLocation = #_sourceLocation
    ) {
        let lines = source.prefix { $0 != "▲" }.split(separator: "\n", omittingEmptySubsequences: false)
        let diagnostic = DiagnosticSpec(
            message: message, line: lines.count, column: (lines.last?.utf8.count ?? 0) + 1,
            fixIts: remedy.map { [FixItSpec(message: $0)] } ?? [])
        let source = source.replacing("▲", with: "")
        // The code of a wrong declaration is another test's subject. So it may be as it is.
        assertMacroExpansion(
            source, expandedSource: expansion(of: source), diagnostics: [diagnostic], macroSpecs: macros,
            fixedSource: fixed, failureHandler: { fail($0.message, at: place) })
    }

    /// The text with the code of its macros.
    static func expansion(of source: String) -> String { expand(source).text }

    /// All mistakes in a text, in the order in which they are reported.
    static func mistakes(in source: String) -> [MessageID] { expand(source).context.diagnostics.map(\.diagnosticID) }

    private static func expand(_ source: String) -> (text: String, context: BasicMacroExpansionContext) {
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "TestModule", fullFilePath: "test.swift")])
        let expanded = file.expand(
            macroSpecs: macros,
            contextGenerator: { syntax in
                BasicMacroExpansionContext(sharingWith: context, lexicalContext: syntax.allMacroLexicalContexts())
            }, indentationWidth: .spaces(4))
        return (expanded.description, context)
    }

    private static func fail(_ message: String, at place: Testing.SourceLocation) {
        Issue.record("\(message)", sourceLocation: place)
    }
}
