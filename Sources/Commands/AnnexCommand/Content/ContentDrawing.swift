internal import AnnexModel

/// The drawing of an extension's checked view as lines for a terminal, with the actions that the user can pick.
///
/// Buttons and options have numbers in brackets, counted from 1. Pictures are not drawn. Instead, the drawing states
/// their description and size. A `ContentTree` contains no terminal colours and no escape sequences. So the extension's
/// text cannot control the terminal.
struct ContentDrawing {
    /// The lines from top to bottom. Each line takes at most the requested width; colours do not count. But in deep
    /// lists, a line may be wider, because the text keeps 12 columns after its marks.
    private(set) var lines: [String] = []
    /// The columns that each line takes.
    private(set) var columns: [Int] = []
    /// The places in each line at which the user can pick an action with a mouse.
    private(set) var spots: [[Spot]] = []
    /// The action of each number. The number 1 stands for the first action.
    private(set) var picks: [ContentAction] = []
    private let style: Style

    /// The columns of a line at which the user can pick an action.
    struct Spot: Equatable {
        var columns: Range<Int>
        /// The index of the action in `picks`.
        let pick: Int
    }

    /// The smallest width for text. A narrower line would hold hardly a word. A deep list in a narrow terminal gets
    /// this width nevertheless.
    private static let narrowest = 12

    /// - Parameter width: the width in columns. A width below 12 counts as 12.
    init(_ tree: ContentTree, width: Int, style: Style) {
        self.style = style
        let width = max(width, Self.narrowest)
        let drawn: [DrawnLine]
        if case .list(let rows) = tree.root {
            // The view itself is not shown as a list with bullets.
            drawn = rows.flatMap { drawing(of: $0, width: width) }
        } else {
            drawn = drawing(of: tree.root, width: width)
        }
        lines = drawn.map(\.text)
        columns = drawn.map(\.columns)
        spots = drawn.map(\.spots)
    }

    private mutating func drawing(of node: ContentNode, width: Int) -> [DrawnLine] {
        switch node {
        case .text(let text, let tone):
            return Self.wrapped(text, width: width) { tone == .secondary ? style.faint($0) : $0 }
        case .image(let bytes, let description): return Self.wrapped(Self.words(for: bytes, description), width: width)
        case .progress(let fraction, let label): return bar(fraction, label: label, width: width)
        case .choice(let title, let action, let options, let chosen):
            let rows = options.enumerated().map { index, option in
                let number = mark(ContentAction(identifier: action, option: UInt32(clamping: index)))
                let sign = index == chosen ? "(•) " : "( ) "
                return asPick(Self.hung(number + sign, width: width) { Self.wrapped(option, width: $0) })
            }
            return Self.wrapped(title, width: width) + rows.flatMap { $0 }
        case .button(let title, let action):
            let number = mark(ContentAction(identifier: action))
            return asPick(
                Self.hung(number, width: width) { Self.wrapped(title, width: $0, colour: style.bold) })
        case .row(let nodes): return row(nodes.map { drawing(of: $0, width: width) }, width: width)
        case .list(let nodes):
            return nodes.flatMap { node in Self.hung("• ", width: width) { drawing(of: node, width: $0) } }
        }
    }
}

// MARK: - Parts of a drawing

/// One line with the number of its columns. Colours take no columns.
private struct DrawnLine {
    var text: String
    var columns: Int
    var spots: [ContentDrawing.Spot] = []

    /// The spots, moved to the right by this number of columns.
    func spots(behind columns: Int) -> [ContentDrawing.Spot] {
        spots.map { spot in
            let range = spot.columns
            return .init(columns: range.lowerBound + columns..<range.upperBound + columns, pick: spot.pick)
        }
    }
}

extension ContentDrawing {
    private static func wrapped(
        _ text: String, width: Int, colour: (String) -> String = { $0 }
    ) -> [DrawnLine] {
        TextColumns.wrapped(text, width: width).map { line in
            DrawnLine(text: line.isEmpty ? line : colour(line), columns: TextColumns.count(line))
        }
    }

    /// Lines that are indented by the width of a mark. Only the first line shows the mark.
    private static func hung(_ mark: String, width: Int, body: (Int) -> [DrawnLine]) -> [DrawnLine] {
        let columns = TextColumns.count(mark)
        let lines = body(max(width - columns, narrowest))
        return lines.enumerated().map { index, line in
            let before = index == 0 ? mark : String(repeating: " ", count: columns)
            return DrawnLine(
                text: before + line.text, columns: columns + line.columns, spots: line.spots(behind: columns))
        }
    }

    /// Adds an action to the picks. Returns the mark with the number that the user enters to pick the action.
    private mutating func mark(_ action: ContentAction) -> String {
        picks.append(action)
        return "[\(picks.count)] "
    }

    /// The lines. In each line, one spot covers all columns, and stands for the last pick.
    private func asPick(_ lines: [DrawnLine]) -> [DrawnLine] {
        lines.map { line in
            var line = line
            line.spots = [Spot(columns: 0..<line.columns, pick: picks.count - 1)]
            return line
        }
    }

    /// Puts the parts beside each other if each part is one line and all parts fit into the width. Otherwise puts the
    /// parts below each other.
    private func row(_ parts: [[DrawnLine]], width: Int) -> [DrawnLine] {
        let lines = parts.flatMap { $0 }
        let columns = lines.reduce(0) { $0 + $1.columns } + 2 * max(lines.count - 1, 0)
        guard !lines.isEmpty, columns <= width, parts.allSatisfy({ $0.count <= 1 }) else { return lines }
        var (start, spots): (Int, [Spot]) = (0, [])
        for line in lines {
            spots += line.spots(behind: start)
            start += line.columns + 2
        }
        return [DrawnLine(text: lines.map(\.text).joined(separator: "  "), columns: columns, spots: spots)]
    }

    private func bar(_ fraction: Double?, label: String, width: Int) -> [DrawnLine] {
        let room = min(30, width - 6)
        let full = fraction.map { Int(($0 * Double(room)).rounded(.down)) } ?? 0
        let remark = fraction.map { " \(Int(($0 * 100).rounded(.down))) %" } ?? " …"
        let bar = String(repeating: "█", count: full) + String(repeating: "░", count: room - full) + remark
        return (label.isEmpty ? [] : Self.wrapped(label, width: width)) + [DrawnLine(text: bar, columns: bar.count)]
    }

    private static func words(for bytes: [UInt8], _ description: String) -> String {
        let size = PictureHeader(bytes).map { " \($0.width) × \($0.height)" } ?? ""
        return "(picture\(size)\(description.isEmpty ? "" : ": " + description))"
    }
}
