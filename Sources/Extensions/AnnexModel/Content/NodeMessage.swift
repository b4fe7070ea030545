internal import AnnexChannel

/// One node as a message. The parts of the node stay encoded, so that a reader can check the limits before it decodes
/// a part.
///
/// A reader skips a node if it does not know the node's kind. So a newer extension can send new kinds.
struct NodeMessage: Message {
    enum Kind: UInt8 {
        case text = 1
        case image = 2
        case progress = 3
        case choice = 4
        case button = 5
        case row = 6
        case list = 7
    }

    private enum Tag {
        static let kind: UInt16 = 1
        static let text: UInt16 = 2
        static let style: UInt16 = 3
        static let picture: UInt16 = 4
        static let fraction: UInt16 = 5
        static let action: UInt16 = 6
        static let option: UInt16 = 7
        static let chosen: UInt16 = 8
        static let part: UInt16 = 9
    }

    /// The raw value of a `Kind`, or a number that a later version defined.
    var kind: UInt8
    /// The text of a text node, the title of a choice or button, the label of a bar, or the description of a picture.
    var text = ""
    var style: UInt8?
    var picture: [UInt8] = []
    var fraction: Double?
    var action = ""
    var options: [String] = []
    var chosen: UInt32?
    /// The encodings of the nodes of a row or list.
    var parts: [[UInt8]] = []

    init(_ kind: Kind) {
        self.kind = kind.rawValue
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(kind, as: Tag.kind)
        if !text.isEmpty { encoder.encode(text, as: Tag.text) }
        encoder.encode(style, as: Tag.style)
        if !picture.isEmpty { encoder.encode(picture, as: Tag.picture) }
        encoder.encode(fraction, as: Tag.fraction)
        if !action.isEmpty { encoder.encode(action, as: Tag.action) }
        encoder.encode(list: options, as: Tag.option)
        encoder.encode(chosen, as: Tag.chosen)
        encoder.encode(list: parts, as: Tag.part)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        kind = try decoder.decode(Tag.kind)
        text = try decoder.decode(Tag.text, default: "")
        style = try decoder.decodeIfPresent(Tag.style)
        picture = try decoder.decode(Tag.picture, default: [])
        fraction = try decoder.decodeIfPresent(Tag.fraction)
        action = try decoder.decode(Tag.action, default: "")
        options = try decoder.decodeList(Tag.option)
        chosen = try decoder.decodeIfPresent(Tag.chosen)
        parts = try decoder.decodeList(Tag.part)
    }
}

extension ContentLimits {
    /// The limits of one node's own fields. The depth is 0, because the parts of a node are bytes and not nested
    /// messages.
    var ofOneNode: MessageLimits { MessageLimits(bytes: bytes, fields: max(nodes, options) + 16, depth: 0) }
}
