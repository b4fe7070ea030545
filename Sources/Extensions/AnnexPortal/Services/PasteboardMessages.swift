package import AnnexMessages

/// The requests of a group's member, an extension or app, about the group's pasteboards.
package enum PasteboardMethod {
    /// The request carries `PasteboardContents`. The answer is a `PasteboardState`.
    package static let set = PortalMethod(.pasteboard, number: 1)
    /// The request carries `PasteboardQuestion`. The answer is a `PasteboardState`.
    package static let look = PortalMethod(.pasteboard, number: 2)
    /// The request carries `PasteboardQuestion`. The answer is a `PasteboardData`.
    package static let read = PortalMethod(.pasteboard, number: 3)
}

/// One form of an item.
package struct PasteboardForm: Message, Hashable {
    package let type: String
    package let bytes: [UInt8]

    package init(type: String, bytes: [UInt8]) {
        self.type = type
        self.bytes = bytes
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(type, as: 1)
        encoder.encode(bytes, as: 2)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        type = try decoder.decode(1)
        bytes = try decoder.decode(2)
    }
}

/// An item in one or several forms.
package struct PasteboardEntry: Message, Hashable {
    package let forms: [PasteboardForm]

    package init(forms: [PasteboardForm]) { self.forms = forms }

    package func encode(into encoder: inout MessageEncoder) { encoder.encode(list: forms, as: 1) }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) { forms = try decoder.decodeList(1) }
}

/// The new contents of a pasteboard. If there are no entries, the pasteboard is cleared.
package struct PasteboardContents: Message, Hashable {
    package let board: String
    package let entries: [PasteboardEntry]
    /// How long the contents last, in milliseconds; nil if they do not expire.
    package let lifetime: UInt64?

    package init(board: String, entries: [PasteboardEntry], lifetime: UInt64?) {
        self.board = board
        self.entries = entries
        self.lifetime = lifetime
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(board, as: 1)
        encoder.encode(list: entries, as: 2)
        encoder.encode(lifetime, as: 3)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        board = try decoder.decode(1)
        entries = try decoder.decodeList(2)
        lifetime = try decoder.decodeIfPresent(3)
    }
}

/// A question about a pasteboard. If the member asks for the state only, `item` and `type` are ignored.
package struct PasteboardQuestion: Message, Hashable {
    package let board: String
    package let item: UInt32
    package let type: String

    package init(board: String, item: UInt32 = 0, type: String = "") {
        self.board = board
        self.item = item
        self.type = type
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(board, as: 1)
        encoder.encode(item, as: 2)
        encoder.encode(type, as: 3)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        board = try decoder.decode(1)
        item = try decoder.decode(2)
        type = try decoder.decode(3)
    }
}

/// A description of the contents of a pasteboard, without the bytes.
package struct PasteboardState: Message, Hashable {
    package let changeCount: UInt64
    package let writer: String
    /// The types of each item.
    package let types: [NameList]

    package init(changeCount: UInt64, writer: String, types: [NameList]) {
        self.changeCount = changeCount
        self.writer = writer
        self.types = types
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(changeCount, as: 1)
        encoder.encode(writer, as: 2)
        encoder.encode(list: types, as: 3)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        changeCount = try decoder.decode(1)
        writer = try decoder.decode(2)
        types = try decoder.decodeList(3)
    }
}

/// The bytes of one form of an item; nil if there is no such form.
package struct PasteboardData: Message, Hashable {
    package let bytes: [UInt8]?

    package init(bytes: [UInt8]?) { self.bytes = bytes }

    package func encode(into encoder: inout MessageEncoder) { encoder.encode(bytes, as: 1) }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) { bytes = try decoder.decodeIfPresent(1) }
}
