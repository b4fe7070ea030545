import AnnexMacrosPlugin
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Expands macros in a text as the compiler does. No compiler runs, so tests can also check programs with mistakes.
enum Expanding {
    private static let macros: [String: MacroSpec] = [
        "Message": MacroSpec(type: MessageMacro.self, conformances: ["Message"]),
        "FieldTag": MacroSpec(type: FieldTagMacro.self),
    ]

    /// Expects that a text expands to another text without a mistake.
    /// - Parameters:
    ///   - source: the text with macros.
    ///   - expanded: the text with the code of the macros.
    ///   - place: the caller. Failures are reported at this place.
    static func expect(
        _ source: String, becomes expanded: String, at place: Testing.SourceLocation = #_sourceLocation
    ) {
        assertMacroExpansion(
            source, expandedSource: expanded, macroSpecs: macros, failureHandler: { fail($0.message, at: place) })
    }

    /// Expects exactly one mistake in a text.
    /// - Parameters:
    ///   - message: the text of the mistake.
    ///   - source: the text with macros. `▲` marks the place of the mistake.
    ///   - remedy: the text of the Fix-It; nil if the mistake has no Fix-It.
    ///   - fixed: the text after the Fix-It.
    ///   - place: the caller. Failures are reported at this place.
    static func expect(
        mistake message: String, in source: String, remedy: String? = nil, fixed: String? = nil,
        at place: Testing.SourceLocation = #_sourceLocation
    ) {
        let lines = source.prefix { $0 != "▲" }.split(separator: "\n", omittingEmptySubsequences: false)
        let diagnostic = DiagnosticSpec(
            message: message, line: lines.count, column: (lines.last?.utf8.count ?? 0) + 1,
            fixIts: remedy.map { [FixItSpec(message: $0)] } ?? [])
        let source = source.replacing("▲", with: "")
        // Another test checks the code of a wrong declaration. So this test accepts any code.
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
