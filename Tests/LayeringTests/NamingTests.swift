import Foundation
import Testing

/// Which names the public functions have.
@Suite struct NamingTests {
    private struct Function: Hashable {
        let type: String
        let name: String
    }

    /// Where code is not `async`, as at the top level of `main.swift`, Swift takes the blocking one of two functions that
    /// share a name; with `await` in front of it, too.
    @Test(arguments: ["AnnexHost", "AnnexChannel", "AnnexEmbedded", "AnnexExtension", "AnnexSandbox"])
    func `no type has a blocking and an async function of one name`(target: String) throws {
        var forms: [Function: Set<Bool>] = [:]
        for (_, text) in try SourceTree.swiftFiles(in: try #require(HousePlan.folder(of: target))) {
            for (function, isAsync) in Self.functions(in: text) { forms[function, default: []].insert(isAsync) }
        }
        #expect(!forms.isEmpty)
        let mixed = forms.filter { $0.value.count > 1 }.keys.map { "\($0.type).\($0.name)" }
        #expect(mixed.isEmpty, "\(target): \(mixed.sorted())")
    }

    /// Every public function, with whether it is `async`.
    private static func functions(in text: String) -> [(Function, isAsync: Bool)] {
        var type = ""
        var found: [(Function, isAsync: Bool)] = []
        for match in text.matches(
            of: /(?m)^(?:[\w ]*\b(?:extension|class|struct|enum|actor) (\w+)|    [\w@() ]*public .*?func (\w+))/)
        {
            if let name = match.1 { type = String(name) }
            guard let name = match.2 else { continue }
            let afterName = text[match.range.upperBound...].drop { $0 != "(" }
            let effects = afterName.drop(while: Parentheses().holds)
            found.append((Function(type: type, name: String(name)), effects.prefixMatch(of: /\)\s*async\b/) != nil))
        }
        return found
    }

    /// Whether a character belongs to the list of parameters that starts with the first one asked about.
    private final class Parentheses {
        private var depth = 0

        func holds(_ character: Character) -> Bool {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            return depth > 0
        }
    }
}
