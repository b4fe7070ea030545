/// Lines in a frame, with a title in the upper edge and a remark in the lower edge.
struct Card {
    struct Line {
        let text: String
        /// The columns that the line takes. Colours take no columns.
        let columns: Int
    }

    let lines: [String]

    /// The columns that the frame takes in addition to the lines in it.
    static let frame = 4

    /// - Parameters:
    ///   - body: the lines. Each line takes at most `width - Card.frame` columns.
    ///   - foot: the remark; empty if there is none.
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
