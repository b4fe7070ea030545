import Testing

@testable import AnnexCommand

/// The output of the commands on a terminal.
@Suite(.timeLimit(.minutes(20))) struct TerminalTests {
    @Test func `a list in columns is read downwards`() {
        #expect(Columns.lines(of: ["a", "b", "c", "d", "e"], columns: 2) == ["a   d", "b   e", "c"])
    }

    @Test func `an entry wider than its column has a line of its own at the end`() {
        let wide = String(repeating: "w", count: 60)
        #expect(Columns.lines(of: ["a", wide, "b"], columns: 2) == ["a   b", wide])
    }

    @Test func `no wrapped line is wider than asked, but for a longer word`() {
        #expect(Columns.wrapped("one two three-and-more four", width: 8) == ["one two", "three-and-more", "four"])
    }

    /// An extension's bytes must not move the cursor or change colours.
    @Test(arguments: ["\u{1B}[31mred", "a\nb", "\u{202E}desrever", "\u{7}"])
    func `text that could control a terminal is escaped`(_ text: String) {
        let shown = PlainText.shown(text)
        #expect(shown != text)
        #expect(!shown.unicodeScalars.contains { $0.properties.generalCategory == .control })
        #expect(!shown.unicodeScalars.contains { $0.properties.generalCategory == .format })
    }

    @Test func `harmless text is shown as it is, up to the limit`() {
        #expect(PlainText.shown("grün ✓") == "grün ✓")
        #expect(PlainText.shown(String(repeating: "x", count: 100), limit: 10).utf8.count < 100)
    }

    @Test func `cut text ends with an ellipsis and has the width asked for`() {
        #expect(PlainText.cut("abcdef", to: 4) == "abc…")
        #expect(PlainText.cut("abcd", to: 4) == "abcd")
    }
}
