internal import AnnexBrokerAPI
internal import AnnexLinux
internal import AnnexModel
internal import AnnexToday

/// One widget as an `article` of the page. The article has a form of its own, so its buttons work without a script.
struct CardMarkup {
    private let card: TodayCard
    private let surface: TodaySurface

    init(_ card: TodayCard, on surface: TodaySurface) {
        self.card = card
        self.surface = surface
    }

    /// - Parameter place: the card's place among all `count` cards, counted from 0.
    func markup(at place: Int, of count: Int) -> Markup {
        var body = Markup()
        body.add("form", with: [("method", "post"), ("action", "do")]) { form in
            form.addEmpty("input", with: [("type", "hidden"), ("name", "widget"), ("value", card.id)])
            form.add("h2", with: [("id", "title-\(card.id)"), ("dir", "auto")]) { $0.add(card.widget.displayName) }
            form.add("div", with: [("class", classes)]) { content in
                if let view = card.content { content.add(ContentMarkup(view, of: card.id).markup) }
            }
            if let remark { form.add("p", with: [("class", "remark"), ("role", "status")]) { $0.add(remark) } }
            addControls(to: &form, at: place, of: count)
        }
        var markup = Markup()
        markup.add(
            "article",
            with: [
                ("id", "card-\(card.id)"), ("aria-labelledby", "title-\(card.id)"),
                ("class", card.failure == nil ? nil : "failed"),
            ]
        ) { $0.add(body) }
        return markup
    }

    /// The height and the insets are classes, because the page forbids styles in its markup.
    private var classes: String {
        let height = card.state.height(in: surface.placement(expanded: card.isExpanded))
        let insets = card.state.marginInsets ?? WidgetInsets()
        let sides = [("t", insets.top), ("l", insets.leading), ("b", insets.bottom), ("r", insets.trailing)]
        return (["content", PageStyle.heightClass(height)] + sides.map { PageStyle.insetClass($0, points: $1) })
            .joined(separator: " ")
    }

    private var remark: String? {
        let age: String?
        if case .old(let date) = card.freshness { age = "as of \(date.text)" } else { age = nil }
        let parts = [age, card.failure.map { "\(Escaped($0, limit: 500))" }].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ": ")
    }

    private func addControls(to form: inout Markup, at place: Int, of count: Int) {
        form.add("div", with: [("class", "controls")]) { menu in
            if card.state.largestAvailableDisplayMode == .expanded, surface.kind != .quickActions {
                add(
                    card.isExpanded ? Control("collapse", titled: "Show less") : Control("expand", titled: "Show more"),
                    to: &menu)
            }
            add(Control("update", titled: "Refresh"), to: &menu)
            guard !surface.kind.isLocked else { return }
            // The browser itself opens and closes this element, so it works without a script.
            menu.add("details") { details in
                details.add("summary", with: [("id", "arrange-\(card.id)")]) { $0.add("Arrange") }
                details.add("div", with: [("class", "controls")]) { addArrangement(to: &$0, at: place, of: count) }
            }
        }
    }

    private func addArrangement(to menu: inout Markup, at place: Int, of count: Int) {
        if place > 0 { add(Control("up", titled: "Up", asking: "move:\(place - 1)"), to: &menu) }
        if place < count - 1 { add(Control("down", titled: "Down", asking: "move:\(place + 1)"), to: &menu) }
        add(Control("remove", titled: "Remove"), to: &menu)
    }

    private struct Control {
        let name: String
        let title: String
        let wish: String

        init(_ name: String, titled title: String, asking wish: String? = nil) {
            self.name = name
            self.title = title
            self.wish = wish ?? name
        }
    }

    private func add(_ control: Control, to menu: inout Markup) {
        menu.add(
            "button",
            with: [
                // "Show more" and "Show less" have the same identifier. So the focus stays when one of these buttons
                // replaces the other button.
                ("id", "\(control.name == "collapse" ? "expand" : control.name)-\(card.id)"), ("name", "do"),
                ("value", control.wish), ("aria-label", "\(control.title): \(card.widget.displayName)"),
            ]
        ) { $0.add(control.title) }
    }
}
