public import AnnexModel

/// The principal object of an extension for the point `com.apple.widget-extension`, the Today view. Apple's counterpart is
/// `NCWidgetProviding`.
///
/// The host draws the view, and the last one while the widget looks for something new. There is no keyboard and no scrolling: a tap
/// on a button acts.
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
    /// What the host shows. Called after each event, and by `WidgetContext.reloadView()`.
    func view(in widget: WidgetContext) -> ContentNode

    /// The widget is to look for something new. The host shows the last view meanwhile. If it throws, the result is `failed`. By
    /// default, nothing is new.
    func widgetPerformUpdate(in widget: WidgetContext) async throws -> WidgetUpdateResult

    /// The display mode or the largest size has changed, for example because the user expanded the widget, or the surface has
    /// another width. `widget.placement` is the new one. By default, nothing happens.
    func widgetActiveDisplayModeDidChange(
        _ mode: WidgetDisplayMode, maximumSize: WidgetSize, in widget: WidgetContext)

    /// The room around the content. By default, what the surface proposes.
    func widgetMarginInsets(forProposedMarginInsets insets: WidgetInsets) -> WidgetInsets

    /// The widget will be shown. By default, nothing happens.
    func widgetWillAppear(in widget: WidgetContext)

    /// The widget is not shown any more, and may be ended: keep what the next one needs. By default, nothing happens.
    func widgetDidDisappear(in widget: WidgetContext)

    /// The user pressed a button or picked an option. By default, nothing happens.
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
