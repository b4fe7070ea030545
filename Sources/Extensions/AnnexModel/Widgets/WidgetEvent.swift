package import AnnexChannel

/// An event of a widget that is on a surface, such as the Today view. The host sends the event to the extension. The
/// answer is a `WidgetAnswer`.
package enum WidgetEvent: ChannelRequest, PointMessage {
    package typealias Response = WidgetAnswer

    package static let method = ReservedMethods.first + 0x30

    /// The widget will be shown at this place.
    case willAppear(WidgetPlacement)
    /// The widget should look for something new. The answer says whether the widget found something.
    case performUpdate
    /// The display mode or the sizes have changed.
    case placementChanged(WidgetPlacement)
    /// The user acted in the widget.
    case acted(ContentAction)
    /// The widget is no longer shown.
    case didDisappear

    private enum Kind: UInt8 {
        case willAppear = 1
        case performUpdate, placementChanged, acted, didDisappear
    }

    private var kind: Kind {
        switch self {
        case .willAppear: .willAppear
        case .performUpdate: .performUpdate
        case .placementChanged: .placementChanged
        case .acted: .acted
        case .didDisappear: .didDisappear
        }
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(kind.rawValue, as: 1)
        switch self {
        case .willAppear(let placement), .placementChanged(let placement): encoder.encode(placement, as: 2)
        case .acted(let action): encoder.encode(action, as: 3)
        case .performUpdate, .didDisappear: break
        }
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        guard let kind = Kind(rawValue: try decoder.decode(1)) else {
            throw decoder.failure(1, reason: .rejected("is an event of a widget that is not known"))
        }
        switch kind {
        case .willAppear: self = .willAppear(try decoder.decode(2))
        case .performUpdate: self = .performUpdate
        case .placementChanged: self = .placementChanged(try decoder.decode(2))
        case .acted: self = .acted(try decoder.decode(3))
        case .didDisappear: self = .didDisappear
        }
    }
}

/// A widget's answer to an event: its state after the event, and the result if the event was `performUpdate`.
package struct WidgetAnswer: Message {
    package let change: WidgetChange
    /// The result of `performUpdate`; nil for the other events.
    package let result: WidgetUpdateResult?

    package init(_ change: WidgetChange, result: WidgetUpdateResult? = nil) {
        self.change = change
        self.result = result
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(change, as: 1)
        encoder.encode(result?.rawValue, as: 2)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        change = try decoder.decode(1)
        guard let number = try decoder.decodeIfPresent(2, as: UInt8.self) else {
            result = nil
            return
        }
        guard let known = WidgetUpdateResult(rawValue: number) else {
            throw decoder.failure(2, reason: .rejected("is no result of an update"))
        }
        result = known
    }
}
