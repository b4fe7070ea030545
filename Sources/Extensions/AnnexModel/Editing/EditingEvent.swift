package import AnnexChannel

/// An event while the user edits a picture. The host sends the event to the photo-editing extension. The answer is an
/// `EditingAnswer`.
package enum EditingEvent: ChannelRequest, PointMessage {
    package typealias Response = EditingAnswer

    package static let method = ReservedMethods.first + 0x20

    /// The host opens a dialogue: the next request with items belongs to this dialogue. The answer says whether the
    /// extension can continue the earlier edit.
    case opened(earlier: AdjustmentData?)
    /// The extension answers this event, with its view, when it has started the edit. The request with the picture
    /// may arrive later.
    case started
    /// The user acted in the extension's view.
    case acted(ContentAction)
    /// The user wants to keep the edit. The extension then answers the request with the picture.
    case finished
    /// The user wants to discard the edit. The answer says whether the host should ask the user to confirm.
    case leaving
    /// The user has discarded the edit.
    case cancelled

    private enum Tag {
        static let kind: UInt16 = 1
        static let adjustmentData: UInt16 = 2
        static let action: UInt16 = 3
    }

    private enum Kind: UInt8 {
        case opened = 1
        case started, acted, finished, leaving, cancelled
    }

    private var kind: Kind {
        switch self {
        case .opened: .opened
        case .started: .started
        case .acted: .acted
        case .finished: .finished
        case .leaving: .leaving
        case .cancelled: .cancelled
        }
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(kind.rawValue, as: Tag.kind)
        switch self {
        case .opened(let earlier): encoder.encode(earlier, as: Tag.adjustmentData)
        case .acted(let action): encoder.encode(action, as: Tag.action)
        case .started, .finished, .leaving, .cancelled: break
        }
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        guard let kind = Kind(rawValue: try decoder.decode(Tag.kind)) else {
            throw decoder.failure(Tag.kind, reason: .rejected("an event of photo editing that is not known"))
        }
        switch kind {
        case .opened: self = .opened(earlier: try decoder.decodeIfPresent(Tag.adjustmentData))
        case .started: self = .started
        case .acted: self = .acted(try decoder.decode(Tag.action))
        case .finished: self = .finished
        case .leaving: self = .leaving
        case .cancelled: self = .cancelled
        }
    }
}

/// A photo-editing extension's answer to an `EditingEvent`.
package struct EditingAnswer: Message {
    /// The number of the answer. Later answers have higher numbers. An answer without a number has the number 0.
    package let number: UInt64
    /// The answer, yes or no, to the question of the events `opened` and `leaving`; false for the other events.
    package let isAffirmed: Bool
    /// Whether the request with the picture is still open.
    package let isOpen: Bool
    /// The extension's view; nil if the extension has no view.
    package let view: ContentMessage?
    /// The view after the check against the limits. Only the decoder sets this property.
    package let tree: ContentTree?

    private enum Tag {
        static let isAffirmed: UInt16 = 1
        static let view: UInt16 = 2
        static let isClosed: UInt16 = 3
        static let number: UInt16 = 4
    }

    package init(number: UInt64 = 0, isAffirmed: Bool = false, isOpen: Bool = true, view: ContentMessage? = nil) {
        self.number = number
        self.isAffirmed = isAffirmed
        self.isOpen = isOpen
        self.view = view
        tree = nil
    }

    package func encode(into encoder: inout MessageEncoder) {
        if isAffirmed { encoder.encode(true, as: Tag.isAffirmed) }
        encoder.encode(view, as: Tag.view)
        if !isOpen { encoder.encode(true, as: Tag.isClosed) }
        if number > 0 { encoder.encode(number, as: Tag.number) }
    }

    /// Accepts only messages that an honest extension can send.
    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        isAffirmed = try decoder.decode(Tag.isAffirmed, default: false)
        view = try decoder.decodeIfPresent(Tag.view)
        isOpen = try !decoder.decode(Tag.isClosed, default: false)
        number = try decoder.decode(Tag.number, default: 0)
        do throws(ContentError) {
            tree = try view?.tree()
        } catch {
            throw decoder.failure(Tag.view, reason: .rejected("a view that breaks a limit"))
        }
    }
}
