internal import AnnexHost
internal import AnnexModel
internal import AnnexPolicy

/// A widget after its update, or the reason why it has none.
struct ShownWidget: Sendable {
    private let widget: InstalledExtension
    /// The last state that the widget had.
    private let state: WidgetState
    private let result: WidgetUpdateResult?
    /// Why the widget was not updated; nil if it was.
    let failure: String?

    /// Updates all widgets at the same time.
    /// - Returns: the widgets in their order.
    static func all(
        _ widgets: [InstalledExtension], of host: AnnexHost, on surface: TodaySurface
    ) async -> [ShownWidget] {
        await withTaskGroup(of: (Int, ShownWidget).self) { group in
            for (place, widget) in widgets.enumerated() {
                group.addTask { (place, await updated(widget, of: host, on: surface)) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private static func updated(
        _ one: InstalledExtension, of host: AnnexHost, on surface: TodaySurface
    ) async -> ShownWidget {
        var session: WidgetSession?
        do throws(HostError) {
            let widget = try await host.widget(one.id, as: TodayCommand.point)
            session = widget
            try await widget.appear(at: surface.placement)
            let result = try await widget.performUpdate()
            await widget.disappear()
            let failure = result == .failed ? "the widget could not update its content" : nil
            return ShownWidget(widget: one, state: widget.state, result: result, failure: failure)
        } catch {
            let state = session?.state ?? WidgetState.empty
            return ShownWidget(widget: one, state: state, result: nil, failure: PlainText.shown("\(error)"))
        }
    }

    // MARK: Drawing

    /// The card; nothing for a widget without content.
    func lines(on surface: TodaySurface, style: Style) -> [String] {
        guard state.hasContent || failure != nil else { return [] }
        let inner = surface.columns - Card.frame
        return Card(
            titled: widget.displayName, body: body(width: inner, on: surface, style: style), foot: failure ?? "",
            width: surface.columns, titleColour: style.bold, footColour: style.bad
        ).lines
    }

    /// Lines that do not fit are left out, and the last one says so.
    private func body(width: Int, on surface: TodaySurface, style: Style) -> [Card.Line] {
        guard let view = state.view else { return [] }
        let drawing = ContentDrawing(view, width: width, style: style)
        let all = zip(drawing.lines, drawing.columns).map { Card.Line(text: $0, columns: $1) }
        let room = max(surface.lines(for: state), 1)
        return all.count <= room ? all : all.prefix(room - 1) + [Card.Line(text: style.faint("…"), columns: 1)]
    }

    func json(on surface: TodaySurface) -> JSON {
        let lines = body(width: surface.columns - Card.frame, on: surface, style: Style(isColoured: false)).map(\.text)
        let mode = state.displayMode(in: surface.placement)
        return .object([
            .init("identifier", value: .text(widget.id)),
            .init("displayName", value: .text(PlainText.shown(widget.displayName))),
            .init("result", value: .optional(result.map { "\($0)" })),
            .init("hasContent", value: .boolean(state.hasContent)),
            .init("displayMode", value: .text("\(mode)")),
            .init("height", value: .number(state.height(in: surface.placement))),
            .init("lines", value: .texts(lines)), .init("failure", value: .optional(failure)),
        ])
    }
}
