public import AnnexModel

/// The principal object of an extension for the point `com.apple.widget-extension`, the Today view. Apple's
/// counterpart is `NCWidgetProviding`.
///
/// The host draws the widget's view. While the widget looks for something new, the host draws the last view. The user
/// acts by tapping a button. A widget gets no keyboard input and does not scroll.
///
/// ```swift
/// @main final class Weather: WidgetExtension {
///     private var degrees: Int?
///
///     func view(in widget: WidgetContext) -> ContentNode {
///         [.text(degrees.map { "\($0) °C" } ?? "…"), .button("Open", action: "open")]
///     }
///
///     func widgetPerformUpdate(in widget: WidgetContext) async throws -> WidgetUpdateResult {
///         let now = try await readDegrees()
///         defer { degrees = now }
///         return now == degrees ? .noData : .newData
///     }
///
///     func perform(_ action: ContentAction, in widget: WidgetContext) async throws {
///         try await widget.open("weather://today")
///     }
/// }
/// ```
public protocol WidgetExtension: SessionExtension {
    /// The view that the host shows. Annex calls this function after each event, and in `WidgetContext.reloadView()`.
    func view(in widget: WidgetContext) -> ContentNode

    /// Called when the widget should look for something new. The host shows the last view meanwhile. If this function
    /// throws, the result is `failed`. By default, the result is `noData`.
    func widgetPerformUpdate(in widget: WidgetContext) async throws -> WidgetUpdateResult

    /// Called when the display mode or the largest size has changed. For example, the user has expanded the widget,
    /// or the surface has a new width. `widget.placement` is the new placement. By default, nothing happens.
    func widgetActiveDisplayModeDidChange(
        _ mode: WidgetDisplayMode, maximumSize: WidgetSize, in widget: WidgetContext)

    /// The space around the content. By default, this function returns the insets that the surface, such as the Today
    /// view, proposes.
    func widgetMarginInsets(forProposedMarginInsets insets: WidgetInsets) -> WidgetInsets

    /// Called before the widget is shown. By default, nothing happens.
    func widgetWillAppear(in widget: WidgetContext)

    /// Called when the widget is no longer shown. The extension may be ended afterwards. Save the data that the next
    /// launch of the widget needs. By default, nothing happens.
    func widgetDidDisappear(in widget: WidgetContext)

    /// Called when the user pressed a button or picked an option. By default, nothing happens.
    func perform(_ action: ContentAction, in widget: WidgetContext) async throws
}

extension WidgetExtension {
    public func widgetPerformUpdate(in widget: WidgetContext) async throws -> WidgetUpdateResult { .noData }

    public func widgetActiveDisplayModeDidChange(
        _ mode: WidgetDisplayMode, maximumSize: WidgetSize, in widget: WidgetContext
    ) {}

    public func widgetMarginInsets(forProposedMarginInsets insets: WidgetInsets) -> WidgetInsets { insets }

    public func widgetWillAppear(in widget: WidgetContext) {}

    public func widgetDidDisappear(in widget: WidgetContext) {}

    public func perform(_ action: ContentAction, in widget: WidgetContext) async throws {}
}
