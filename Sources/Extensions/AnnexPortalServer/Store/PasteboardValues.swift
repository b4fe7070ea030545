package import AnnexLinux

/// The limits of a group's pasteboards.
package enum PasteboardLimits {
    /// The name that a pasteboard has if the caller gives none.
    package static let generalName = "general"
    package static let nameBytes = 64
    /// The number of boards that may have contents at once.
    package static let boards = 16
    /// The bytes of all types and contents of one board together.
    package static let bytes = 1 << 20
    package static let typeBytes = 256
    package static let writerBytes = 256
    /// The number of representations of one board, over all its items.
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
    /// The representations in the writer's order: the best form comes first. No two of them have the same type.
    package let representations: [BoardRepresentation]

    package init(_ representations: [BoardRepresentation]) {
        self.representations = representations
    }
}

/// A description of the contents of a pasteboard, without the bytes.
package struct BoardSummary: Sendable, Hashable {
    /// A count that grows with each change of the board, and also if the contents of the board expire. The count is 0
    /// if the board never had contents. An empty board is forgotten after 16 other boards have had contents; its
    /// count is then 0 again.
    package let changeCount: UInt64
    /// The process that has written the contents; empty if there are none.
    package let writer: String
    /// The time when the contents expire; nil if they do not expire.
    package let expiry: WallClock?
    /// The types of each item, in the writer's order.
    package let types: [[String]]
}

/// One representation, with the board's change count at the moment of the read. If this count differs from the count
/// in an earlier summary, the item may differ from the item in that summary.
package struct BoardRead: Sendable, Hashable {
    package let changeCount: UInt64
    /// The bytes; nil if the board has no such item, or if the item has no representation of this type.
    package let bytes: [UInt8]?
}
