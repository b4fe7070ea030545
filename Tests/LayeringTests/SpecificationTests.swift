import Foundation
import Testing

/// Compares `Docs/SPECIFICATION.md` with the tests of each promise.
@Suite struct SpecificationTests {
    @Test func `every promise of the specification has a test or says that it has none`() throws {
        let promises = try Self.promises()
        #expect(promises.numbers.count > 100, "the page has another form, or hardly any promises")
        #expect(Set(promises.numbers).count == promises.numbers.count, "two promises have one number")
        for number in promises.numbers {
            #expect(promises.proofs[number]?.isMissing == false, "\(number) has no test")
        }
        #expect(Set(promises.proofs.keys).subtracting(promises.numbers) == [], "tests of no promise")
    }

    @Test func `every test of a promise exists`() throws {
        let tests = Set(try Self.tests.get())
        for (number, proof) in try Self.promises().proofs {
            let missing = Set(proof.tests).subtracting(tests)
            #expect(missing == [], "\(number)")
        }
    }

    /// Numbers with a dash are those of attacks, which are on a page of their own.
    @Test func `every rule that a test is named after is in the specification`() throws {
        let rules = try Self.promises().rules
        let named = Set(try Self.tests.get().flatMap(Promises.rules).filter { !$0.contains("-") })
        #expect(named.count > 25)
        #expect(named.subtracting(rules) == [])
    }

    /// If ANNEX_WRITES_PROMISES is set, as in `make promises-page`, the test first writes the page.
    @Test func `the page of promises shows the tests of each promise`() throws {
        let file = SourceTree.root.appending(path: "Docs/Reference/Promises.md")
        let wanted = try Self.promises().document(of: try Self.tests.get())
        if ProcessInfo.processInfo.environment["ANNEX_WRITES_PROMISES"] != nil {
            try wanted.write(to: file, atomically: true, encoding: .utf8)
        }
        // The comparison has its own constant, because a failing expectation prints its condition, and the page is long.
        let isShown = try String(contentsOf: file, encoding: .utf8) == wanted
        #expect(isShown, "run `make promises-page`")
    }

    @Test func `promises and their tests are read from the page and the list`() {
        let page = """
            # Title

            ## One

            | # | promise |
            |---|---|
            | P1.1 | `Name.app` is an app |
            | P1.2 | one |
            | FD-03 | two |
            """
        let list = "P1.1\n  P1: a rule\n  another, with a comma\nP1.2\n  - a note\nFD-03\n  - no test yet"
        let promises = Promises(of: page, provenBy: list)
        #expect(promises.numbers == ["P1.1", "P1.2", "FD-03"])
        #expect(promises.rules == ["P1", "FD-03"])
        #expect(promises.proofs["P1.1"]?.tests == ["P1: a rule", "another, with a comma"])
        #expect(promises.numbers.map { promises.proofs[$0]?.isMissing } == [false, true, false])
        #expect(Promises.rules(of: "A1, FD-03: a rule: that has two") == ["A1", "FD-03"])
        #expect(Promises.rules(of: "a rule without a number: none") == [])
        let document = promises.document(of: ["P1: a rule", "P1: one more", "P2: of no promise"])
        #expect(document.contains("| P1.2 | a note |\n| P1, more | `P1: one more` |\n| FD-03 | no test yet |"))
        #expect(!document.contains("P2"))
    }

    private static func promises() throws -> Promises {
        Promises(of: try String(contentsOf: SourceTree.root.appending(path: "Docs/SPECIFICATION.md"), encoding: .utf8))
    }

    private static let tests = Result { try SourceTree.testFiles().flatMap { TestNames(in: $0.text).names } }
}
