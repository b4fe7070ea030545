internal import AnnexLinux
internal import AnnexPortal

/// A file or folder of a group's container, given by its path in the container. A folder stands for itself and
/// everything in it.
///
/// Paths are compared as text. An item that can be reached by two paths, through links, counts as two items.
struct ItemPath: Sendable, Hashable {
    private static let mostBytes = 4096

    /// The names from the container to the item, with `/` between them; empty for the container itself.
    let text: String

    private init(text: String) { self.text = text }

    /// - Parameters:
    ///   - path: an absolute path in the container, or a path relative to the container.
    ///   - container: the absolute path of the container.
    init(_ path: String, in container: String) throws(PortalError) {
        var rest = path[...]
        if path.hasPrefix("/") {
            guard path == container || path.hasPrefix(container + "/") else {
                throw Self.fault(path, what: "is not in the container \(container)")
            }
            rest = path.dropFirst(container.utf8.count)
        }
        guard rest.utf8.count <= Self.mostBytes, !rest.utf8.contains(0) else {
            throw Self.fault(path, what: "is longer than \(Self.mostBytes) bytes, or contains a zero byte")
        }
        if Self.isPlain(rest) {
            text = String(rest)
            return
        }
        let names = rest.split(separator: "/").filter { $0 != "." }
        guard !names.contains("..") else { throw Self.fault(path, what: "contains `..`") }
        text = names.joined(separator: "/")
    }

    /// Whether the text can be used unchanged. Most paths can be used unchanged, and are not normalised.
    private static func isPlain(_ path: Substring) -> Bool {
        var last = UInt8(ascii: "/")
        for byte in path.utf8 {
            // A name that begins with a dot may be `.` or `..`.
            if last == UInt8(ascii: "/"), byte == last || byte == UInt8(ascii: ".") { return false }
            last = byte
        }
        return path.isEmpty || last != UInt8(ascii: "/")
    }

    private static func fault(_ path: String, what: String) -> PortalError {
        PortalError(
            .invalid, what: "\(Escaped(path, limit: 200)) \(what)", remedy: "name an item of the group's container")
    }

    /// Whether this item is the same as the given item, or a folder that contains it.
    func contains(_ other: ItemPath) -> Bool {
        if text.isEmpty || text == other.text { return true }
        let (own, others) = (text.utf8, other.text.utf8)
        guard own.count < others.count, others.starts(with: own) else { return false }
        return others[others.index(others.startIndex, offsetBy: own.count)] == UInt8(ascii: "/")
    }

    /// Whether one of the two items contains the other.
    func meets(_ other: ItemPath) -> Bool { contains(other) || other.contains(self) }

    /// The same item after the folder `old`, which contains it, has moved.
    func moved(from old: ItemPath, to new: ItemPath) -> ItemPath {
        let rest = text.utf8.dropFirst(old.text.utf8.count).drop { $0 == UInt8(ascii: "/") }
        let parts = [new.text, String(Substring(rest))].filter { !$0.isEmpty }
        return ItemPath(text: parts.joined(separator: "/"))
    }

    // MARK: Its range in the file of locks

    /// The ranges of all items lie below this offset. The ranges of their gates, which waiting members lock first
    /// (`AccessLocks.takeGate`), lie above this offset.
    static let firstGate: UInt64 = 1 << 61
    /// The number of bits of the offset that each of the first four names chooses. Items in deeper folders share the
    /// range of the fourth name.
    private static let bits: [UInt64] = [20, 16, 13, 12]

    /// The range that stands for the item in the file of locks. This range lies within the range of the item's
    /// folder, at an offset that the item's name chooses. So the range of a folder always contains the ranges of its
    /// items.
    ///
    /// Two items may share a range. Then a coordinator that uses one item excludes coordinators from the other item
    /// without need. This costs time but does no other harm.
    var range: FileRange {
        var range = FileRange(start: 0, length: Self.firstGate)
        var depth = 0
        var hash = Self.basis
        for byte in text.utf8 {
            guard byte == UInt8(ascii: "/") else {
                hash = (hash ^ UInt64(byte)) &* Self.prime
                continue
            }
            Self.narrow(&range, by: hash, at: depth)
            (depth, hash) = (depth + 1, Self.basis)
        }
        if !text.isEmpty { Self.narrow(&range, by: hash, at: depth) }
        return range
    }

    /// The 64-bit Fowler-Noll-Vo hash, version 1a. Its result is the same in each process.
    private static let basis: UInt64 = 0xcbf2_9ce4_8422_2325
    private static let prime: UInt64 = 0x100_0000_01b3

    private static func narrow(_ range: inout FileRange, by hash: UInt64, at depth: Int) {
        guard depth < bits.count else { return }
        let length = range.length >> bits[depth]
        let choice = (hash ^ hash >> 32) & (1 << bits[depth] - 1)
        range = FileRange(start: range.start + choice * length, length: length)
    }
}

extension FileRange {
    /// The range of the gate for this range.
    var gate: FileRange { FileRange(start: start + ItemPath.firstGate, length: length) }
}
