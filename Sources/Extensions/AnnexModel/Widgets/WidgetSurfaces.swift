/// The surfaces that show a widget beside the Today view, if the user has added the widget.
public struct WidgetSurfaces: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A list of quick actions. An app names its widget for this list with `UIApplicationShortcutWidget` in its
    /// `Info.plist`. An app with only one widget need not name the widget.
    public static let quickActions = WidgetSurfaces(rawValue: 1)
    /// A lock screen. Any person near the machine can read a lock screen. So a widget appears on a lock screen only if
    /// its `NSExtensionAttributes` set `AnnexShowsOnLockScreen` to true.
    public static let lockScreen = WidgetSurfaces(rawValue: 2)

    package static let all: WidgetSurfaces = [.quickActions, .lockScreen]
    /// The attribute with which a widget allows a lock screen to show it.
    package static let lockScreenKey = "AnnexShowsOnLockScreen"
}

/// The Today view's extension point.
package enum WidgetPoint {
    package static let identifier = "com.apple.widget-extension"
}
