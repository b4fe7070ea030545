package import AnnexBrokerAPI
package import AnnexLinux
package import AnnexModel

/// One widget of a Today view, in the state that is drawn now.
package struct TodayCard: Sendable, Identifiable {
    /// How new the view is.
    package enum Freshness: Sendable, Hashable {
        /// There is no view yet.
        case none
        /// The widget has drawn the view since the Today view was shown.
        case fresh
        /// The widget drew the view at the moment `since`, and has sent no newer view.
        case old(since: WallClock)
    }

    package let widget: InstalledExtension
    /// The last state of the widget. If the widget has no content, surfaces show its card only after a failure.
    package internal(set) var state = WidgetState() {
        didSet { content = state.view?.excerpt(nodes: Self.mostNodes, scalars: Self.mostScalars) }
    }
    /// The part of the view that surfaces draw. A view that is too large for a card is cut off.
    package private(set) var content: ContentTree?
    package internal(set) var freshness = Freshness.none
    /// The result of the last update; nil before the first update.
    package internal(set) var result: WidgetUpdateResult?
    /// Whether an update of the widget is running.
    package internal(set) var isUpdating = false
    /// Why the widget has no fresh view, or did not do what the user asked for; nil if all is well.
    package internal(set) var failure: String?
    /// Whether the user has expanded the widget.
    package internal(set) var isExpanded: Bool

    private static let mostNodes = 200
    private static let mostScalars = 8_000

    /// When the widget drew its view.
    private var drawn: WallClock?

    init(widget: InstalledExtension, isExpanded: Bool) {
        self.widget = widget
        self.isExpanded = isExpanded
    }

    /// Takes over a new state. If the new state has no view, the card keeps the last view.
    mutating func take(_ state: WidgetState) {
        let view = state.view ?? self.state.view
        self.state = state
        guard state.view != nil else { return self.state.view = view }
        drawn = .now()
        freshness = .fresh
        failure = nil
    }

    /// Notes a failure. The last view stays, and is marked as old.
    mutating func fail(_ failure: String) {
        self.failure = failure
        if let drawn { freshness = .old(since: drawn) }
    }

    package var id: String { widget.id }

    /// Whether a surface shows the card.
    package var isShown: Bool { state.hasContent || failure != nil }
}
