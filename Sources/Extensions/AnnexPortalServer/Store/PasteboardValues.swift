package import AnnexLinux

/// The limits of a group's pasteboards.
package enum PasteboardLimits {
    /// The name that a pasteboard has if the caller gives none.
    package static let generalName = "general"
    package static let nameBytes = 64
    /// Boards with contents.
    package static let boards = 16
    /// The types and bytes of one board together.
    package static let bytes = 1 << 20
    package static let typeBytes = 256
    package static let writerBytes = 256
    /// The representations of one board together.
    package static let representations = 256
}

/// One form of an item on a pasteboard.
package struct BoardRepresentation: Sendable, Hashable {
    /// A uniform type identifier.
    package let type: String
    package let bytes: [UInt8]

    package init(type: String, bytes: [UInt8]) {
        self.type = type
        self.bytes = bytes
    }
}

/// One item on a pasteboard, in one or several forms.
package struct BoardItem: Sendable, Hashable {
    /// In the writer's order: the best form first. No two have the same type.
    package let representations: [BoardRepresentation]

    package init(_ representations: [BoardRepresentation]) {
        self.representations = representations
    }
}

/// What lies on a pasteboard, without the bytes.
package struct BoardSummary: Sendable, Hashable {
    /// Grows with each change of the board, also if its contents expire; 0 if it never had contents. If 16 other boards have
    /// had contents since, an empty board is forgotten and this is 0 again.
    package let changeCount: UInt64
    /// The process that has put the contents there; empty if there are none.
    package let writer: String
    /// When the contents expire; nil if they do not.
    package let expiry: WallClock?
    /// The types of each item, in the writer's order.
    package let types: [[String]]
}

/// One representation, with the board's change count at the moment of the read. If that differs from the count of an earlier
/// summary, the item is another one.
package struct BoardRead: Sendable, Hashable {
    package let changeCount: UInt64
    /// Nil if the board has no such item, or the item no such type.
    package let bytes: [UInt8]?
}
