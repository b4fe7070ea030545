import AnnexPolicy
import Foundation
import Testing

@testable import AnnexPolicyTools

/// The page about a policy, which `annex policy explain NAME --document` prints.
@Suite(.timeLimit(.minutes(20))) struct PolicyManualTests {
    @Test func `the page about tool matches the policy`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let page = try String(contentsOf: root.appending(path: "Docs/Reference/ToolPolicy.md"), encoding: .utf8)
        #expect(try Policy.shipped(named: "tool", for: .x86).manual == page, "make tool-page brings it up to date")
    }

    @Test(arguments: PolicyLibrary.shipped.names)
    func `every group of every policy has a row with its errno`(name: String) throws {
        let policy = try Policy.shipped(named: name)
        let lines = policy.manual.split(separator: "\n")
        for group in policy.groups({ _ in true }) {
            let start = group.reason.prefix { $0.isLetter || $0 == " " || $0 == "," }
            let row = lines.first { line in
                guard line.contains(start) else { return false }
                guard case .deny(let errno, _) = group.answer else { return true }
                return line.contains(" | \(errno == 0 ? "0" : group.answer.word) | ")
            }
            #expect(row != nil, "\(group.reason)")
        }
    }

    @Test func `text of a policy cannot break the table or add a link`() throws {
        let text = """
            policy: x
            summary: A | B <script> [a](b)
            includes: [base]
            allow:
              - reason: "pipe | and ![image](http://x) `code|code`"
                calls: [getcwd]
            """
        let policy = try PolicyLibrary.shipped.adding(["x": (text, "x.yaml")]).policy(named: "x")
        let manual = policy.manual
        #expect(manual.contains(#"A \| B \<script\> \[a\](b)"#))
        #expect(manual.contains(#"pipe \| and !\[image\](http://x) `code\|code`"#))
    }
}
