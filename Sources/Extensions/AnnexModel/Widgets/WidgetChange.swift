package import AnnexChannel

/// What a host knows of a widget: what it draws, and how large.
public struct WidgetState: Sendable, Hashable {
    /// The view; nil before the first one.
    public package(set) var view: ContentTree?
    /// Whether the widget has something to show. A surface hides a widget without content.
    public package(set) var hasContent = true
    /// The largest display mode that the widget has a use for. A surface offers to expand it only if it is `expanded`.
    public package(set) var largestAvailableDisplayMode = WidgetDisplayMode.compact
    /// The height that the widget prefers in the expanded mode, in points; nil for the largest. It is untrusted:
    /// `height(in:)` keeps it within the surface's limits.
    public package(set) var preferredHeight: Int?
    /// The room around the content; nil for the insets that the surface proposed.
    public package(set) var marginInsets: WidgetInsets?

    package init() {}

    /// The state of a widget that has not appeared yet.
    package static let empty = WidgetState()

    /// The height to draw the widget with.
    public func height(in placement: WidgetPlacement) -> Int {
        let largest = placement.maximumSize(for: displayMode(in: placement)).height
        guard displayMode(in: placement) == .expanded, let preferredHeight else { return largest }
        return min(max(preferredHeight, placement.compactSize.height), largest)
    }

    /// The display mode to draw the widget in.
    public func displayMode(in placement: WidgetPlacement) -> WidgetDisplayMode {
        largestAvailableDisplayMode == .compact ? .compact : placement.activeDisplayMode
    }
}

/// A widget's state on its way to the host: as an answer to an event, or as a notice if the widget changed by itself.
package struct WidgetChange: ChannelNotice, PointMessage {
    package static let method = ReservedMethods.first + 0x30

    /// Later changes have higher numbers. A notice and an answer may overtake each other on the host's side.
    package let number: UInt64
    package var view: ContentMessage?
    package var hasContent = true
    package var largestAvailableDisplayMode = WidgetDisplayMode.compact
    package var preferredHeight: Int?
    package var marginInsets: WidgetInsets?
    /// The view, checked against the limits.
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

    /// Accepts what an honest extension can send, and nothing else. Texts are made safe to draw.
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
    /// Takes over a change, unless a newer one was applied.
    /// - Parameter newest: the number of the newest change that was applied.
    package mutating func apply(_ change: WidgetChange, after newest: inout UInt64) {
        guard change.number > newest else { return }
        newest = change.number
        // A change without a view leaves the last one, for example because the new one broke a limit.
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
