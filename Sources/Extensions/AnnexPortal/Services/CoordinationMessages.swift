package import AnnexMessages

/// The requests of a group's member, an extension or app, about coordinated access to files. Each group has a file of
/// locks, and a member locks ranges of this file by itself. The broker tells waiting members when a lock was
/// released, finds the holder of a lock, and passes on news of changes.
package enum CoordinationMethod {
    /// The request carries `ReleaseCount`. The broker answers with the current `ReleaseCount` when that count differs
    /// from the count in the request. If no release is announced, the broker still answers soon, because the kernel
    /// frees the locks of a killed process without a message.
    package static let wait = PortalMethod(.coordination, number: 1)
    /// The member no longer waits. This message has no answer.
    package static let stopWaiting = PortalMethod(.coordination, number: 2)
    /// The member has released a lock while other members were waiting for locks. The answer has no body.
    package static let released = PortalMethod(.coordination, number: 3)
    /// The request carries `LockQuestion`, which states a range. The answer is a `NameList`: the holders of locks in
    /// this range, for a person to read.
    package static let holders = PortalMethod(.coordination, number: 4)
    /// The request carries `ItemChanges`. The answer has no body. The broker sends the answer after it has passed the
    /// changes on to the other members.
    package static let changed = PortalMethod(.coordination, number: 5)
    /// The member has presenters, objects that show an item to the user, and gets `ItemNews` from now on. The answer
    /// has no body.
    package static let present = PortalMethod(.coordination, number: 6)
    /// The member has no more presenters. This message has no answer.
    package static let stopPresenting = PortalMethod(.coordination, number: 7)
}

/// The number of lock releases in a group.
package struct ReleaseCount: Message, Hashable {
    /// The count that the member knows; nil to ask for the current count at once.
    package let count: UInt32?

    package init(count: UInt32?) { self.count = count }

    package func encode(into encoder: inout MessageEncoder) { encoder.encode(count, as: 1) }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) { count = try decoder.decodeIfPresent(1) }
}

/// A range in the group's file of locks.
package struct LockQuestion: Message, Hashable {
    package let start: UInt64
    package let length: UInt64

    package init(start: UInt64, length: UInt64) {
        self.start = start
        self.length = length
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(start, as: 1)
        encoder.encode(length, as: 2)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        start = try decoder.decode(1)
        length = try decoder.decode(2)
    }
}

/// A change of an item, or of a folder with everything in it.
package struct ItemChange: Message, Hashable {
    package enum Kind: UInt32, Sendable {
        case changed = 1
        case moved
        case deleted
    }

    /// A `Kind` that has not been checked.
    package let kind: UInt32
    /// The path, relative to the container.
    package let path: String
    /// The new path of a moved item; otherwise empty.
    package let target: String
    /// The number of the presenter that made the change; 0 if no presenter made it. The number has a meaning only in
    /// the presenter's process.
    package let presenter: UInt32

    package init(_ kind: Kind, path: String, target: String = "", presenter: UInt32) {
        self.init(kind: kind.rawValue, path: path, target: target, presenter: presenter)
    }

    package init(kind: UInt32, path: String, target: String, presenter: UInt32) {
        self.kind = kind
        self.path = path
        self.target = target
        self.presenter = presenter
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(kind, as: 1)
        encoder.encode(path, as: 2)
        encoder.encode(target, as: 3)
        encoder.encode(presenter, as: 4)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        kind = try decoder.decode(1)
        path = try decoder.decode(2)
        target = try decoder.decode(3)
        presenter = try decoder.decode(4)
    }
}

/// Changes that were made together.
package struct ItemChanges: Message, Hashable {
    package let changes: [ItemChange]

    package init(changes: [ItemChange]) { self.changes = changes }

    package func encode(into encoder: inout MessageEncoder) { encoder.encode(list: changes, as: 1) }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) { changes = try decoder.decodeList(1) }
}

/// News of changes, which the broker sends without a request.
package struct ItemNews: Message, Hashable {
    package static let limits = MessageLimits(bytes: 32 << 10, fields: 4096, depth: 8)

    package let changes: [ItemChange]
    /// Whether some news are lost. If so, any item may have changed.
    package let isIncomplete: Bool

    package init(changes: [ItemChange], isIncomplete: Bool) {
        self.changes = changes
        self.isIncomplete = isIncomplete
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(list: changes, as: 1)
        encoder.encode(isIncomplete, as: 2)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        changes = try decoder.decodeList(1)
        isIncomplete = try decoder.decode(2)
    }
}
