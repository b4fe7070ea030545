public import AnnexChannel

/// How much of its content a widget shows (`NCWidgetDisplayMode`).
public enum WidgetDisplayMode: UInt8, Sendable, Hashable, CaseIterable {
    /// A fixed height, about two and a half rows of a list.
    case compact = 1
    /// The height that the widget prefers, up to the height that the surface can give.
    case expanded
}

/// Whether an update of a widget found something new (`NCUpdateResult`).
public enum WidgetUpdateResult: UInt8, Sendable, Hashable, CaseIterable {
    /// The view has changed.
    case newData = 1
    /// The view is the same as before.
    case noData
    /// The widget could not find out whether something is new. Its last view stays.
    case failed
}

/// The size of a widget in points. A point is the unit of the surface on which the widget is shown. A page in a
/// browser uses a CSS pixel as a point.
public struct WidgetSize: Sendable, Hashable {
    /// The largest width and the largest height, in points. A larger number is replaced by this maximum, and a
    /// negative number by 0.
    public static let most = 10_000

    public let width: Int
    public let height: Int

    public init(width: Int, height: Int) {
        self.width = min(max(width, 0), Self.most)
        self.height = min(max(height, 0), Self.most)
    }
}

/// The space around a widget's content, in points.
public struct WidgetInsets: Sendable, Hashable {
    public let top: Int
    public let leading: Int
    public let bottom: Int
    public let trailing: Int

    /// Creates insets. Each number is limited in the same way as the numbers of a `WidgetSize`.
    public init(top: Int = 0, leading: Int = 0, bottom: Int = 0, trailing: Int = 0) {
        self.top = min(max(top, 0), WidgetSize.most)
        self.leading = min(max(leading, 0), WidgetSize.most)
        self.bottom = min(max(bottom, 0), WidgetSize.most)
        self.trailing = min(max(trailing, 0), WidgetSize.most)
    }
}

/// The place that a surface, such as the Today view, gives to a widget. The place has sizes for both display modes,
/// the current mode, and insets.
public struct WidgetPlacement: Sendable, Hashable {
    /// The height of a compact widget, unless the surface uses another height.
    public static let compactHeight = 110

    /// The current display mode. A widget whose largest mode is compact stays compact.
    public var activeDisplayMode: WidgetDisplayMode
    /// The fixed size in the compact mode.
    public var compactSize: WidgetSize
    /// The largest size in the expanded mode. The widget may prefer any height up to the height of this size.
    public var expandedSize: WidgetSize
    /// The insets that the surface proposes.
    public var proposedMarginInsets: WidgetInsets

    /// - Parameters:
    ///   - width: the width in both modes.
    ///   - height: the largest height in the expanded mode. A number less than `compactHeight` is replaced by
    ///     `compactHeight`.
    ///   - mode: the current display mode.
    public init(width: Int, expandedHeight height: Int, mode: WidgetDisplayMode = .compact) {
        activeDisplayMode = mode
        compactSize = WidgetSize(width: width, height: Self.compactHeight)
        expandedSize = WidgetSize(width: width, height: max(height, Self.compactHeight))
        proposedMarginInsets = WidgetInsets()
    }

    /// The largest size in a display mode (`widgetMaximumSize(for:)`).
    public func maximumSize(for mode: WidgetDisplayMode) -> WidgetSize {
        mode == .compact ? compactSize : expandedSize
    }
}

// MARK: - On the wire

extension WidgetSize: Message {
    public func encode(into encoder: inout MessageEncoder) {
        encoder.encode(UInt32(clamping: width), as: 1)
        encoder.encode(UInt32(clamping: height), as: 2)
    }

    public init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let width = try decoder.decode(1, as: UInt32.self)
        self.init(width: Int(width), height: Int(try decoder.decode(2, as: UInt32.self)))
    }
}

extension WidgetInsets: Message {
    public func encode(into encoder: inout MessageEncoder) {
        encoder.encode(list: [top, leading, bottom, trailing].map { UInt32(clamping: $0) }, as: 1)
    }

    public init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let sides = try decoder.decodeList(1, of: UInt32.self).map(Int.init)
        guard sides.count == 4 else { throw decoder.failure(1, reason: .rejected("has not four sides")) }
        self.init(top: sides[0], leading: sides[1], bottom: sides[2], trailing: sides[3])
    }
}

extension WidgetPlacement: Message {
    public func encode(into encoder: inout MessageEncoder) {
        encoder.encode(activeDisplayMode.rawValue, as: 1)
        encoder.encode(compactSize, as: 2)
        encoder.encode(expandedSize, as: 3)
        encoder.encode(proposedMarginInsets, as: 4)
    }

    public init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        guard let mode = WidgetDisplayMode(rawValue: try decoder.decode(1)) else {
            throw decoder.failure(1, reason: .rejected("is no display mode"))
        }
        activeDisplayMode = mode
        compactSize = try decoder.decode(2)
        expandedSize = try decoder.decode(3)
        proposedMarginInsets = try decoder.decode(4)
    }
}
