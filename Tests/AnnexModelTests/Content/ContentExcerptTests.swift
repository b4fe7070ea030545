import Testing

@testable import AnnexModel

/// The beginning of a view, for a place that has little room.
@Suite(.timeLimit(.minutes(20))) struct ContentExcerptTests {
    private func excerpt(_ view: ContentNode, nodes: Int = 100, scalars: Int = 100) -> ContentNode {
        ContentTree(root: view).excerpt(nodes: nodes, scalars: scalars).root
    }

    @Test func `a view that has room stays as it is`() {
        let view: ContentNode = [
            "a", .row(["b", .text("c", style: .secondary)]), .image([1], description: "d"), .progress(0.5, label: "e"),
            .choice("f", action: "f", options: ["g", "h"], chosen: 1), .button("i", action: "i"), [],
        ]
        #expect(excerpt(view) == view)
    }

    @Test func `nodes beyond the limit are left out, and options count as nodes`() {
        #expect(excerpt(["a", "b", "c"], nodes: 3) == ["a", "b"], "the list is a node as well")
        let choice = ContentNode.choice("c", action: "c", options: ["1", "2"])
        #expect(excerpt([choice, "a"], nodes: 4) == [choice])
        #expect(excerpt([choice, "a"], nodes: 5) == [choice, "a"])
        #expect(excerpt(.row([["a", "b"], "c"]), nodes: 3) == .row([["a"]]))
    }

    @Test func `a text is cut by scalars, not by what a reader takes for letters`() {
        #expect(excerpt("abcdef", scalars: 3) == "abc…")
        let marks = "a" + String(repeating: "\u{301}", count: 1000)
        #expect(excerpt(.text(marks), scalars: 10) == .text(String(marks.unicodeScalars.prefix(10)) + "…"))
        #expect(excerpt(["abc", "def", "ghi"], scalars: 5) == ["abc", "de…"])
    }

    @Test func `each option of a choice stays, because actions count them`() {
        let choice = ContentNode.choice("title", action: "c", options: ["one", "two"], chosen: 1)
        #expect(excerpt(choice, scalars: 6) == .choice("title", action: "c", options: ["o…", "…"], chosen: 1))
    }
}
