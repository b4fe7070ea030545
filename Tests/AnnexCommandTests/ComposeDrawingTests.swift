import AnnexChannel
import AnnexModel
import AnnexTestSupport
import Testing

@testable import AnnexCommand

/// Compose sheets of extensions in the terminal.
@Suite(.timeLimit(.minutes(20))) struct ComposeDrawingTests {
    private func state(_ change: (inout ComposeChange) throws -> Void) throws -> ComposeState {
        var changes = ComposeChange()
        try change(&changes)
        var (state, applied) = (ComposeState(), AppliedChanges())
        // A host receives the changes in this form.
        state.apply(try ComposeChange(decoding: try changes.encoded()), after: &applied)
        return state
    }

    private func drawing(_ state: ComposeState) -> ComposeDrawing {
        ComposeDrawing(state, named: "MyPicture", width: 40, style: Style(isColoured: false))
    }

    @Test func `a sheet shows its text, settings and count in a frame`() throws {
        let drawing = drawing(
            try state {
                $0.placeholder = "Say something"
                $0.charactersRemaining = 200
                $0.configurationItems = [
                    .init(title: "Pictures", value: "2", isTappable: false),
                    .init(title: "Category", value: "Holiday", isTappable: true),
                ]
            })
        #expect(
            drawing.lines == [
                "╭─ MyPicture ──────────────────────────╮", "│ Say something                        │",
                "│                                      │", "│ Pictures                           2 │",
                "│ [1] Category                 Holiday │", "╰─ 200 left ───────────────────────────╯",
            ])
        #expect(drawing.picks == [.setting(1)])
    }

    @Test func `a text that is not accepted is marked`() throws {
        let lines = drawing(
            try state {
                $0.contentText = "too long"
                $0.charactersRemaining = -3
                $0.isContentValid = false
            }
        ).lines
        #expect(lines.contains("│ too long                             │"))
        #expect(lines.last == "╰─ -3 left, cannot be posted yet ──────╯")
    }

    @Test func `a view of the extension takes the place of the sheet`() throws {
        let drawing = drawing(
            try state {
                $0.placeholder = "Say something"
                $0.view = try ContentMessage(["Lisbon", .button("Post", action: "post")])
            })
        #expect(
            drawing.lines == [
                "╭─ MyPicture ──────────────────────────╮", "│ Lisbon                               │",
                "│ [1] Post                             │", "╰──────────────────────────────────────╯",
            ])
        #expect(drawing.picks == [.action(ContentAction(identifier: "post"))])
    }

    @Test func `TTY-03: the text of the user reaches the terminal without escapes`() throws {
        var state = ComposeState()
        state.contentText = "a\u{1B}[2Jb\u{202E}"
        #expect(drawing(state).lines[1] == "│ a\u{FFFD}[2Jb\u{FFFD}                              │")
    }

    @Test func `hostile texts stay inside the frame`() throws {
        let drawing = drawing(
            try state {
                $0.contentText = String(repeating: "語", count: 90) + "\u{1B}[2J\u{202E}"
                $0.configurationItems = [
                    .init(
                        title: String(repeating: "w", count: 300), value: String(repeating: "\u{1F600}", count: 60),
                        isTappable: true)
                ]
            })
        #expect(drawing.lines.allSatisfy { TextColumns.count($0) == 40 }, "\(drawing.lines)")
        #expect(!drawing.lines.joined().unicodeScalars.contains { $0.value < 32 || $0 == "\u{202E}" })
    }
}
