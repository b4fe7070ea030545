/// Lines in a frame, with a title above and a remark below.
struct Card {
    struct Line {
        let text: String
        /// Colours take none.
        let columns: Int
    }

    let lines: [String]

    /// The columns that the frame takes beside the lines in it.
    static let frame = 4

    /// - Parameters:
    ///   - body: each line takes at most `width - Card.frame` columns.
    ///   - foot: the remark; empty for none.
    init(
        titled title: String, body: [Line], foot: String = "", width: Int, titleColour: (String) -> String,
        footColour: (String) -> String
    ) {
        let inner = width - Self.frame
        lines =
            [Self.edge("╭╮", around: title, width: width, colour: titleColour)]
            + body.map { "│ " + $0.text + String(repeating: " ", count: max(0, inner - $0.columns)) + " │" }
            + [Self.edge("╰╯", around: foot, width: width, colour: footColour)]
    }

    /// An edge of the frame, with a short text in it.
    private static func edge(
        _ corners: String, around text: String, width: Int, colour: (String) -> String
    ) -> String {
        let shown = TextColumns.wrapped(PlainText.shown(text), width: width - 6).first ?? ""
        let rest = width - 3 - TextColumns.count(shown) - (shown.isEmpty ? 0 : 2)
        let middle = shown.isEmpty ? "" : " " + colour(shown) + " "
        return corners.prefix(1) + "─" + middle + String(repeating: "─", count: max(0, rest)) + corners.suffix(1)
    }
}
