package import AnnexChannel

/// An event in a dialogue, which the host sends to the extension. The answer is a `ComposeAnswer`.
package enum ComposeEvent: ChannelRequest, PointMessage {
    package typealias Response = ComposeAnswer

    package static let method = ReservedMethods.first + 0x10

    /// The sheet will appear with this text. The request with the items may arrive later.
    case opened(text: String)
    /// The sheet has appeared.
    case presented
    /// The user changed the text.
    case edited(text: String)
    /// The user tapped a setting.
    case tapped(item: UInt32)
    /// The user picked an option of a setting.
    case chose(option: UInt32, item: UInt32)
    /// The user acted in the extension's own view.
    case acted(ContentAction)
    case posted
    case cancelled

    private enum Tag {
        static let kind: UInt16 = 1
        static let text: UInt16 = 2
        static let item: UInt16 = 3
        static let option: UInt16 = 4
        static let action: UInt16 = 5
    }

    private enum Kind: UInt8 {
        case opened = 1
        case presented, edited, tapped, chose, acted, posted, cancelled
    }

    private var kind: Kind {
        switch self {
        case .opened: .opened
        case .presented: .presented
        case .edited: .edited
        case .tapped: .tapped
        case .chose: .chose
        case .acted: .acted
        case .posted: .posted
        case .cancelled: .cancelled
        }
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(kind.rawValue, as: Tag.kind)
        switch self {
        case .opened(let text), .edited(let text): encoder.encode(text, as: Tag.text)
        case .tapped(let item): encoder.encode(item, as: Tag.item)
        case .chose(let option, let item):
            encoder.encode(item, as: Tag.item)
            encoder.encode(option, as: Tag.option)
        case .acted(let action): encoder.encode(action, as: Tag.action)
        case .presented, .posted, .cancelled: break
        }
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        guard let kind = Kind(rawValue: try decoder.decode(Tag.kind)) else {
            throw decoder.failure(Tag.kind, reason: .rejected("an event of a compose sheet that is not known"))
        }
        switch kind {
        case .opened: self = .opened(text: try decoder.decode(Tag.text))
        case .presented: self = .presented
        case .edited: self = .edited(text: try decoder.decode(Tag.text))
        case .tapped: self = .tapped(item: try decoder.decode(Tag.item))
        case .chose:
            let item: UInt32 = try decoder.decode(Tag.item)
            self = .chose(option: try decoder.decode(Tag.option), item: item)
        case .acted: self = .acted(try decoder.decode(Tag.action))
        case .posted: self = .posted
        case .cancelled: self = .cancelled
        }
    }
}

/// An extension's answer to a `ComposeEvent`: the changes to the sheet. If the user tapped a setting, the answer also
/// holds the options of this setting.
package struct ComposeAnswer: Message {
    package let change: ComposeChange
    package let options: ComposeOptions?

    private enum Tag {
        static let change: UInt16 = 1
        static let option: UInt16 = 2
        static let chosen: UInt16 = 3
        static let hasOptions: UInt16 = 4
    }

    package init(_ change: ComposeChange, options: ComposeOptions? = nil) {
        self.change = change
        self.options = options
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(change, as: Tag.change)
        guard let options else { return }
        encoder.encode(true, as: Tag.hasOptions)
        encoder.encode(list: options.titles, as: Tag.option)
        encoder.encode(options.chosen.map { UInt32(clamping: $0) }, as: Tag.chosen)
    }

    /// Accepts only messages that an honest extension can send.
    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        change = try decoder.decode(Tag.change)
        guard try decoder.decode(Tag.hasOptions, default: false) else {
            options = nil
            return
        }
        var titles: [String] = try decoder.decodeList(Tag.option)
        guard titles.count <= ComposeLimits.options else {
            throw decoder.failure(Tag.option, reason: .rejected("too many options in a compose sheet"))
        }
        for index in titles.indices {
            titles[index] = try ComposeChange.label(titles[index], tag: Tag.option, in: decoder)
        }
        let chosen = try decoder.decodeIfPresent(Tag.chosen, as: UInt32.self).map(Int.init)
        guard chosen.map({ $0 < titles.count }) ?? true else {
            throw decoder.failure(Tag.chosen, reason: .rejected("an option that is not in the list"))
        }
        options = ComposeOptions(titles: titles, chosen: chosen)
    }
}
