package import AnnexChannel

/// What a host knows of a widget: the widget's view, whether the widget has content, and the size that the widget
/// asks for.
public struct WidgetState: Sendable, Hashable {
    /// The view; nil if the widget has sent no view yet.
    public package(set) var view: ContentTree?
    /// Whether the widget has something to show. A surface, a place that shows widgets, hides a widget without
    /// content.
    public package(set) var hasContent = true
    /// The largest display mode that is useful for the widget. A surface offers to expand the widget only if this
    /// mode is `expanded`.
    public package(set) var largestAvailableDisplayMode = WidgetDisplayMode.compact
    /// The height that the widget prefers in the expanded mode, in points. If this height is nil, the largest height
    /// is used. The value is untrusted: `height(in:)` keeps it within the surface's limits.
    public package(set) var preferredHeight: Int?
    /// The space around the content. If this property is nil, the insets that the surface proposed are used.
    public package(set) var marginInsets: WidgetInsets?

    package init() {}

    /// The state of a widget that has not appeared yet.
    package static let empty = WidgetState()

    /// The height with which the host draws the widget.
    public func height(in placement: WidgetPlacement) -> Int {
        let largest = placement.maximumSize(for: displayMode(in: placement)).height
        guard displayMode(in: placement) == .expanded, let preferredHeight else { return largest }
        return min(max(preferredHeight, placement.compactSize.height), largest)
    }

    /// The display mode in which the host draws the widget.
    public func displayMode(in placement: WidgetPlacement) -> WidgetDisplayMode {
        largestAvailableDisplayMode == .compact ? .compact : placement.activeDisplayMode
    }
}

/// The state of a widget, which the extension sends to the host. It is sent in the answer to an event, or as a notice
/// if the widget changed by itself.
package struct WidgetChange: ChannelNotice, PointMessage {
    package static let method = ReservedMethods.first + 0x30

    /// The number of the change. Later changes have higher numbers. The host needs the numbers, because it may handle
    /// a notice and an answer in the wrong order.
    package let number: UInt64
    package var view: ContentMessage?
    package var hasContent = true
    package var largestAvailableDisplayMode = WidgetDisplayMode.compact
    package var preferredHeight: Int?
    package var marginInsets: WidgetInsets?
    /// The view after the check against the limits. Only the decoder sets this property.
    private var tree: ContentTree?

    package init(number: UInt64) { self.number = number }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(number, as: 1)
        encoder.encode(view, as: 2)
        encoder.encode(hasContent, as: 3)
        encoder.encode(largestAvailableDisplayMode.rawValue, as: 4)
        encoder.encode(preferredHeight.map { UInt32(clamping: $0) }, as: 5)
        encoder.encode(marginInsets, as: 6)
    }

    /// Accepts only messages that an honest extension can send. Texts are made safe to draw.
    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        number = try decoder.decode(1)
        view = try decoder.decodeIfPresent(2)
        do throws(ContentError) {
            tree = try view?.tree()
        } catch {
            throw decoder.failure(2, reason: .rejected("a view that breaks a limit"))
        }
        hasContent = try decoder.decode(3)
        guard let mode = WidgetDisplayMode(rawValue: try decoder.decode(4)) else {
            throw decoder.failure(4, reason: .rejected("is no display mode"))
        }
        largestAvailableDisplayMode = mode
        preferredHeight = try decoder.decodeIfPresent(5, as: UInt32.self).map { min(Int($0), WidgetSize.most) }
        marginInsets = try decoder.decodeIfPresent(6)
    }
}

extension WidgetState {
    /// Applies a change, unless a newer change was already applied.
    /// - Parameter newest: the number of the newest change that was applied.
    package mutating func apply(_ change: WidgetChange, after newest: inout UInt64) {
        guard change.number > newest else { return }
        newest = change.number
        // A change without a view keeps the last view. A view is missing, for example, if the new view exceeded a
        // limit.
        view = change.checkedView ?? view
        hasContent = change.hasContent
        largestAvailableDisplayMode = change.largestAvailableDisplayMode
        preferredHeight = change.preferredHeight
        marginInsets = change.marginInsets
    }
}

extension WidgetChange {
    fileprivate var checkedView: ContentTree? { tree }
}
