import Foundation
import Testing

/// Compares `Docs/SPECIFICATION.md` with the tests. The last column of the page names the tests that check each
/// promise.
@Suite struct SpecificationTests {
    @Test func `every test that the specification names exists`() throws {
        let page = try String(contentsOf: SourceTree.root.appending(path: "Docs/SPECIFICATION.md"), encoding: .utf8)
        let named = Self.tests(named: page)
        #expect(named.count > 100, "the page has another form, or hardly any tests")
        let sources = try SourceTree.testFiles().map(\.text).joined(separator: "\n")
        for name in named {
            // The search has its own constant, because a failing expectation prints its condition, and the sources are
            // long.
            let isThere = sources.contains("func `\(name)`")
            #expect(isThere, "no test is named `\(name)`")
        }
    }

    @Test func `every promise of the specification names a test or says that it has none`() throws {
        let page = try String(contentsOf: SourceTree.root.appending(path: "Docs/SPECIFICATION.md"), encoding: .utf8)
        for row in Self.rows(of: page) {
            #expect(!Self.names(in: row).isEmpty || row.contains("no test"), "\(row)")
        }
    }

    @Test func `only names in the last column of a table are tests`() {
        let page = """
            `a word of the text` is no test.

            | # | promise | held by |
            |---|---|---|
            | P1 | `Name.app` is an app | `P1: a rule of tests`, `another, with a comma` |
            | P2 | a promise | no test |
            """
        #expect(Self.tests(named: page) == ["P1: a rule of tests", "another, with a comma"])
        #expect(Self.rows(of: page).count == 2)
    }

    private static func tests(named page: String) -> [String] { rows(of: page).flatMap(names) }

    /// The last column of each row, without the headers and rules of tables.
    private static func rows(of page: String) -> [String] {
        let columns = page.split(separator: "\n").filter { $0.hasPrefix("| ") }.compactMap { line in
            line.split(separator: " | ").last?.trimmingCharacters(in: CharacterSet(charactersIn: " |"))
        }
        return columns.filter { $0 != "held by" }
    }

    /// The words in backticks.
    private static func names(in column: String) -> [String] {
        column.matches(of: /`([^`]+)`/).map { String($0.1) }
    }
}
