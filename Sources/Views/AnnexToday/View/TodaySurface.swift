internal import AnnexBrokerAPI
package import AnnexModel

/// Where widgets are shown, and the room that each widget gets.
package struct TodaySurface: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The Today view, also beside a search field.
        case view
        /// The view on a lock screen. It shows only what needs no login, and opens no app.
        case lockScreen = "lock-screen"
        /// A list of quick actions. It shows one widget of each app, and widgets stay compact.
        case quickActions = "quick-actions"

        /// Whether the user must log in before using anything except the widgets themselves.
        package var isLocked: Bool { self == .lockScreen }

        func shows(_ widget: InstalledExtension) -> Bool {
            switch self {
            case .view: true
            case .lockScreen: widget.surfaces.contains(.lockScreen)
            case .quickActions: widget.surfaces.contains(.quickActions)
            }
        }
    }

    package let kind: Kind
    /// The width in points.
    package let width: Int
    /// The largest height of an expanded widget, in points.
    package let expandedHeight: Int

    package init(_ kind: Kind = .view, width: Int, expandedHeight: Int) {
        self.kind = kind
        self.width = width
        self.expandedHeight = expandedHeight
    }

    package func placement(expanded isExpanded: Bool) -> WidgetPlacement {
        let mode: WidgetDisplayMode = isExpanded && kind != .quickActions ? .expanded : .compact
        return WidgetPlacement(width: width, expandedHeight: expandedHeight, mode: mode)
    }
}
