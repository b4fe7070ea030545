internal import AnnexHost
internal import AnnexLinux
internal import AnnexModel
internal import AnnexPolicy
internal import AnnexToday
internal import Glibc

/// The columns and lines that the Today view gives to each widget in a terminal.
struct TerminalSurface: Sendable, Equatable {
    /// The size of a column and of a line, in points.
    private static let (column, line) = (8, 20)
    private static let mostLines = 40

    var kind = TodaySurface.Kind.view
    let columns: Int

    var surface: TodaySurface {
        TodaySurface(
            kind, width: (columns - Card.frame) * Self.column, expandedHeight: Self.mostLines * Self.line)
    }

    /// The number of lines that the content of a widget may take.
    func lines(for card: TodayCard) -> Int {
        card.state.height(in: surface.placement(expanded: card.isExpanded)) / Self.line
    }
}

/// One widget as a card of lines.
struct TodayDrawing {
    let card: TodayCard
    let surface: TerminalSurface
    let style: Style

    private var content: ContentDrawing? {
        card.content.map { ContentDrawing($0, width: surface.columns - Card.frame, style: style) }
    }

    /// The actions for which the numbers in the card stand. Numbers in lines that do not fit have no effect.
    var picks: [ContentAction] {
        let last = spots.flatMap { $0.map(\.pick) }.max() ?? -1
        return Array((content?.picks ?? []).prefix(last + 1))
    }

    /// The picks of each line of the content, with their columns.
    var spots: [[ContentDrawing.Spot]] {
        Array((content?.spots ?? []).prefix(drawnLines(of: content?.lines.count ?? 0)))
    }

    /// The frame, with the content in it.
    /// - Parameter isChosen: whether the title is marked, because the numbers that the user types stand for the actions
    ///   of this card.
    func lines(isChosen: Bool = false) -> [String] {
        let title = (isChosen ? "▸ " : "") + card.widget.displayName
        let foot = foot
        return Card(
            titled: title, body: body, foot: foot.text, width: surface.columns, titleColour: style.bold,
            footColour: foot.isBad ? style.bad : style.faint
        ).lines
    }

    /// The lines of the content. If some lines do not fit, they are left out, and a last line with `…` shows this.
    var body: [Card.Line] {
        guard let content else { return card.isUpdating ? [Card.Line(text: style.faint("…"), columns: 1)] : [] }
        let all = zip(content.lines, content.columns).map { Card.Line(text: $0, columns: $1) }
        let drawn = drawnLines(of: all.count)
        return drawn == all.count ? all : all.prefix(drawn) + [Card.Line(text: style.faint("…"), columns: 1)]
    }

    private func drawnLines(of all: Int) -> Int {
        let room = max(surface.lines(for: card), 1)
        return all <= room ? all : room - 1
    }

    private var foot: (text: String, isBad: Bool) {
        let age: String
        if case .old(let date) = card.freshness { age = "as of \(Self.text(of: date))" } else { age = "" }
        if let failure = card.failure {
            return ([age, PlainText.shown(failure)].filter { !$0.isEmpty }.joined(separator: ": "), true)
        }
        return (age, false)
    }

    /// The time if the date is today. Otherwise the date.
    private static func text(of date: WallClock) -> String {
        func parts(_ date: WallClock) -> (day: String, time: String) {
            var (seconds, fields) = (time_t(date.microseconds / 1_000_000), tm())
            localtime_r(&seconds, &fields)
            return (
                "\(Int(fields.tm_year) + 1900)-\(two(Int(fields.tm_mon) + 1))-\(two(Int(fields.tm_mday)))",
                "\(two(Int(fields.tm_hour))):\(two(Int(fields.tm_min)))"
            )
        }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (then, now) = (parts(date), parts(.now()))
        return then.day == now.day ? then.time : then.day
    }

    func json() -> JSON {
        let placement = surface.surface.placement(expanded: card.isExpanded)
        let plain = TodayDrawing(card: card, surface: surface, style: Style(isColoured: false))
        return .object([
            .init("identifier", value: .text(card.id)),
            .init("displayName", value: .bounded(card.widget.displayName)),
            .init("result", value: .optional(card.result.map { "\($0)" })),
            .init("hasContent", value: .boolean(card.state.hasContent)),
            .init("displayMode", value: .text("\(card.state.displayMode(in: placement))")),
            .init("height", value: .number(card.state.height(in: placement))),
            .init("lines", value: .texts(plain.body.map(\.text))),
            .init("failure", value: .optional(card.failure.map { PlainText.shown($0) })),
        ])
    }
}
