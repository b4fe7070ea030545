import AnnexHost
import AnnexModel

/// A compose sheet as lines for a terminal.
///
/// The extension's texts were made safe to draw when they were received, and the user's text is made so here. Settings that
/// the user can set have numbers in brackets.
struct ComposeDrawing {
    let lines: [String]
    /// What each number stands for.
    let picks: [Pick]

    /// What the user picks by a number.
    enum Pick: Equatable {
        case setting(Int)
        case action(ContentAction)
    }

    init(_ state: ComposeState, named name: String, width: Int, style: Style) {
        let inner = width - 4
        var body: [Cell] = []
        var picks: [Pick] = []
        if let view = state.view {
            let drawing = ContentDrawing(view, width: inner, style: style)
            picks = drawing.picks.map { .action($0) }
            body = zip(drawing.lines, drawing.columns).map { Cell(text: $0, columns: $1) }
        } else {
            body = Self.text(of: state, width: inner, style: style)
            for (index, item) in state.configurationItems.enumerated() {
                if item.isTappable { picks.append(.setting(index)) }
                body.append(Self.row(item, number: item.isTappable ? picks.count : nil, width: inner, style: style))
            }
        }
        let mark = Self.mark(of: state)
        let isFine = state.isContentValid || state.view != nil
        lines =
            [Self.edge("╭╮", around: name, width: width, colour: style.bold)]
            + body.map { "│ " + $0.text + String(repeating: " ", count: max(0, inner - $0.columns)) + " │" }
            + [Self.edge("╰╯", around: mark, width: width, colour: isFine ? style.faint : style.bad)]
        self.picks = picks
    }

    /// What stands below a sheet: how much the user may still write. A view of the extension's own speaks for itself.
    private static func mark(of state: ComposeState) -> String {
        guard state.view == nil else { return "" }
        let left = state.charactersRemaining.map { "\($0) left" } ?? ""
        return state.isContentValid ? left : left + (left.isEmpty ? "" : ", ") + "cannot be posted yet"
    }

    private struct Cell {
        let text: String
        let columns: Int
    }

    private static func text(of state: ComposeState, width: Int, style: Style) -> [Cell] {
        let isEmpty = state.contentText.isEmpty
        // The user may have copied the text from a file of another person.
        let text = ShownText.harmless(isEmpty ? state.placeholder : state.contentText, hasLines: true)
        let lines = TextColumns.wrapped(text, width: width)
        return (lines.isEmpty ? [""] : lines).map {
            Cell(text: isEmpty ? style.faint($0) : $0, columns: TextColumns.count($0))
        } + [Cell(text: "", columns: 0)]
    }

    private static func row(_ item: ComposeState.ConfigurationItem, number: Int?, width: Int, style: Style) -> Cell {
        let mark = number.map { "[\($0)] " } ?? ""
        let text = TextColumns.wrapped("\(mark)\(item.title)", width: width / 2).first ?? ""
        let value = TextColumns.wrapped(item.value, width: width / 2).first ?? ""
        let gap = max(1, width - TextColumns.count(text) - TextColumns.count(value))
        return Cell(
            text: text + String(repeating: " ", count: gap) + style.faint(value),
            columns: TextColumns.count(text) + gap + TextColumns.count(value))
    }

    /// An edge of the sheet, with a short text in it.
    private static func edge(
        _ corners: String, around text: String, width: Int, colour: (String) -> String
    ) -> String {
        let shown = TextColumns.wrapped(PlainText.shown(text), width: width - 6).first ?? ""
        let rest = width - 3 - TextColumns.count(shown) - (shown.isEmpty ? 0 : 2)
        let middle = shown.isEmpty ? "" : " " + colour(shown) + " "
        return corners.prefix(1) + "─" + middle + String(repeating: "─", count: rest) + corners.suffix(1)
    }
}
