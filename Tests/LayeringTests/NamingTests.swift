import Foundation
import Testing

/// The names of public functions and of tests.
@Suite struct NamingTests {
    private struct Function: Hashable {
        let type: String
        let name: String
    }

    /// If two functions share a name, Swift calls the blocking function in code that is not `async`, such as the top level of `main.swift`.
    /// It does so even if `await` precedes the call.
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

    /// The labels of a call show the meaning of each value. The kernel floor is an exception: its functions mirror C functions and keep C's
    /// order.
    @Test func `a function outside the floor has at most one parameter without a label`() throws {
        var count = 0
        for (file, text) in try SourceTree.swiftFiles(in: "Sources") where !file.contains("/Sources/Kernel/") {
            let found = ParameterLabels(in: text)
            count += found.count
            #expect(found.faults.isEmpty, "\(file): \(found.faults)")
        }
        #expect(count > 2000)
    }

    @Test(arguments: [
        "func add(_ one: Int, _ other: Int) -> Int {", "    init(_ text: String, named: Int, _ count: Int = 1) {",
        "func f<Value>(\n    _ values: [String: Value], _ name: String, then body: (Int) -> Void\n) {",
        "func f(_ a: Int, _ b: Int, _ body: () -> Void) {",
    ])
    func `the lint finds a second parameter without a label`(text: String) {
        #expect(ParameterLabels(in: text).faults.count == 1)
    }

    @Test(arguments: [
        "func add(_ one: Int, to other: Int) -> Int {", "func f(_ name: String, _ body: (Int, Int) -> Void) {",
        "init(_ name: String, _ tries: Try...) {", "func f() {", "/// func f(_ a: Int, _ b: Int) in words",
        "func f(_: Int.Type, with handler: @escaping (_ a: Int, _ b: Int) -> Void) {",
    ])
    func `the lint accepts a closing closure and a closing list`(text: String) {
        #expect(ParameterLabels(in: text).faults == [])
    }

    /// A failing test reports the broken rule, because the rule is the name of the test.
    @Test func `every test is a raw identifier and has no display name`() throws {
        var count = 0
        for (file, text) in try SourceTree.testFiles() {
            let found = TestNames(in: text)
            count += found.names.count
            #expect(found.faults.isEmpty, "\(file): \(found.faults)")
        }
        #expect(count > 1000)
    }

    @Test(arguments: [
        "@Test(\"a rule\") func x() {", "@Test(\n    \"a rule\", arguments: [1])\nfunc `x`(_ number: Int) {",
        "@Test(#\"a \"rule\"\"#) func `x`() {", "@Test func aRule() {",
        "@Test(arguments: [1])\nfunc aRule(_ number: Int) {",
        "@Test func `a rule of A.B`() {", "@Test func `a (rule)`() {", "@Test func `a host's rule`() {",
        "@Test\n@Test func `x`() {",
    ])
    func `the lint finds a test with another kind of name`(text: String) {
        #expect(!TestNames(in: text).faults.isEmpty)
    }

    @Test(arguments: [
        "@Test func `a rule`() {", "    @Test func `P1, P3: a rule`() async throws {",
        "@Test(.enabled(if: f(1), \"no\"))\nfunc `x y`() {",
        "@Test(arguments: [\"(\", \"func a() {\"]) func `x y`(_ text: String) {",
        "@Test(\n    arguments: [\n        \"func a() {\",\n    ]) @MainActor func `x y`(\n    _ text: String) {",
    ])
    func `the lint accepts raw identifiers with traits and arguments`(text: String) {
        let found = TestNames(in: text)
        #expect(found.faults == [] && found.names.count == 1)
    }

    /// Every public function, and whether it is `async`.
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

    /// Tells whether a character belongs to a list of parameters. The caller passes the characters in order, from the first character of
    /// the list.
    private final class Parentheses {
        private var depth = 0

        func holds(_ character: Character) -> Bool {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            return depth > 0
        }
    }
}
