import AnnexModel
import AnnexTestSupport
import Testing

@testable import AnnexCommand

/// Views of extensions in the terminal.
@Suite(.timeLimit(.minutes(20))) struct ContentDrawingTests {
    private func drawing(_ view: ContentNode, width: Int = 40, isColoured: Bool = false) throws -> ContentDrawing {
        ContentDrawing(try ContentMessage(view).tree(), width: width, style: Style(isColoured: isColoured))
    }

    @Test func `a view of every kind of node is drawn from top to bottom`() throws {
        let view: ContentNode = [
            "Lisbon", .row(["23 °C", .text("sunny", style: .secondary)]),
            .image(PictureStart.png(width: 64, height: 48), description: "Sun"), .progress(0.5, label: "Uploading"),
            .progress(nil), .choice("Category", action: "category", options: ["Holiday", "Work"], chosen: 1),
            ["one", "two"], .button("Post", action: "post"),
        ]
        let drawing = try drawing(view)
        #expect(
            drawing.lines == [
                "Lisbon", "23 °C  sunny", "(picture 64 × 48: Sun)", "Uploading",
                "███████████████░░░░░░░░░░░░░░░ 50 %", "░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ …", "Category",
                "[1] ( ) Holiday", "[2] (•) Work", "• one", "• two", "[3] Post",
            ])
        #expect(
            drawing.picks == [
                ContentAction(identifier: "category", option: 0), ContentAction(identifier: "category", option: 1),
                ContentAction(identifier: "post"),
            ])
    }

    @Test func `a row that does not fit is drawn below each other`() throws {
        #expect(try drawing(.row(["one two", "three four"]), width: 16).lines == ["one two", "three four"])
        #expect(try drawing(.row(["one two", "three"]), width: 16).lines == ["one two  three"])
    }

    @Test func `long words and wide letters are wrapped at the width`() throws {
        #expect(try drawing("one two three four", width: 12).lines == ["one two", "three four"])
        #expect(try drawing("aaaaaaaaaaaabb c", width: 12).lines == ["aaaaaaaaaaaa", "bb c"])
        #expect(try drawing("世界世界世界世", width: 12).lines == ["世界世界世界", "世"])
        #expect(try drawing("a\n\nb", width: 12).lines == ["a", "", "b"])
        #expect(try drawing(.button("one two three", action: "x"), width: 16).lines == ["[1] one two", "    three"])
    }

    @Test func `no line of a random view is wider than asked`() throws {
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        for _ in 0..<300 {
            let words = (0..<20).map { _ in
                let letter = ["a", "界", "é", "👩‍👩‍👧"].randomElement(using: &random) ?? "a"
                return String(repeating: letter, count: .random(in: 0..<10, using: &random))
            }
            let text = ContentNode.text(words.joined(separator: " "))
            let view: ContentNode = [text, [text, .row([text, .button(words[0], action: "x")])], .progress(0.3)]
            let width = Int.random(in: 20...90, using: &random)
            let widest = try drawing(view, width: width).lines.map { TextColumns.count($0) }.max() ?? 0
            #expect(widest <= width, "ANNEX_SEED=\(seed)")
        }
    }

    @Test func `only a terminal gets colours, around the text and not inside it`() throws {
        let view: ContentNode = [.text("faint", style: .secondary), .button("bold", action: "x")]
        #expect(try drawing(view).lines == ["faint", "[1] bold"])
        #expect(
            try drawing(view, isColoured: true).lines == ["\u{1B}[2mfaint\u{1B}[0m", "[1] \u{1B}[1mbold\u{1B}[0m"])
    }

    @Test func `TTY-03: no control character of a view reaches the terminal`() throws {
        let bad = "a\u{1B}[31m\u{9B}2J\u{202E}\r\u{8}\u{7}b"
        let view: ContentNode = [
            .text(bad), .button(bad, action: "x"), .choice(bad, action: "x", options: [bad]), .progress(0, label: bad),
            .image(PictureStart.png(width: 1, height: 1), description: bad),
        ]
        let lines = try drawing(view).lines
        #expect(lines.count >= 6)
        for line in lines {
            #expect(line.unicodeScalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) })
        }
    }

    @Test func `the deepest view in the narrowest terminal is drawn`() throws {
        var view: ContentNode = "deep"
        for _ in 0..<15 { view = [view] }
        #expect(try drawing(view, width: 1).lines == [String(repeating: "• ", count: 14) + "deep"])
    }
}
