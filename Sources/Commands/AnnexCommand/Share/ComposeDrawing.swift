import AnnexHost
import AnnexModel

/// A compose sheet, drawn as lines for a terminal.
///
/// The extension's texts were made safe to draw when the host received them. The user's text is made safe here.
/// Settings that the user can change have numbers in brackets.
struct ComposeDrawing {
    let lines: [String]
    /// The pick of each number. The number 1 stands for the first pick.
    let picks: [Pick]

    /// A setting or an action that the user picks by a number.
    enum Pick: Equatable {
        case setting(Int)
        case action(ContentAction)
    }

    init(_ state: ComposeState, named name: String, width: Int, style: Style) {
        let inner = width - Card.frame
        var body: [Card.Line] = []
        var picks: [Pick] = []
        if let view = state.view {
            let drawing = ContentDrawing(view, width: inner, style: style)
            picks = drawing.picks.map { .action($0) }
            body = zip(drawing.lines, drawing.columns).map { Card.Line(text: $0, columns: $1) }
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
            Card(
                titled: name, body: body, foot: mark, width: width, titleColour: style.bold,
                footColour: isFine ? style.faint : style.bad
            ).lines
        self.picks = picks
    }

    /// The text in the lower edge of a sheet. The text says how many characters the user may still write, and whether
    /// the sheet can be posted. If the extension has its own view, the text is empty.
    private static func mark(of state: ComposeState) -> String {
        guard state.view == nil else { return "" }
        let left = state.charactersRemaining.map { "\($0) left" } ?? ""
        return state.isContentValid ? left : left + (left.isEmpty ? "" : ", ") + "cannot be posted yet"
    }

    private static func text(of state: ComposeState, width: Int, style: Style) -> [Card.Line] {
        let isEmpty = state.contentText.isEmpty
        // The user may have copied the text from another person's file.
        let text = ShownText.harmless(isEmpty ? state.placeholder : state.contentText, hasLines: true)
        let lines = TextColumns.wrapped(text, width: width)
        return (lines.isEmpty ? [""] : lines).map {
            Card.Line(text: isEmpty ? style.faint($0) : $0, columns: TextColumns.count($0))
        } + [Card.Line(text: "", columns: 0)]
    }

    private static func row(_ item: ComposeState.ConfigurationItem, number: Int?, width: Int, style: Style) -> Card.Line
    {
        let mark = number.map { "[\($0)] " } ?? ""
        let text = TextColumns.wrapped("\(mark)\(item.title)", width: width / 2).first ?? ""
        let value = TextColumns.wrapped(item.value, width: width / 2).first ?? ""
        let gap = max(1, width - TextColumns.count(text) - TextColumns.count(value))
        return Card.Line(
            text: text + String(repeating: " ", count: gap) + style.faint(value),
            columns: TextColumns.count(text) + gap + TextColumns.count(value))
    }
}
