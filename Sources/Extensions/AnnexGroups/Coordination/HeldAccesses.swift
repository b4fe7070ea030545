internal import AnnexLinux
internal import AnnexPortal

/// An access to one item, which a coordinator requests.
struct ItemAccess: Sendable {
    let path: ItemPath
    let range: FileRange
    let isWriting: Bool

    init(_ path: ItemPath, isWriting: Bool) {
        self.path = path
        range = path.range
        self.isWriting = isWriting
    }
}

/// The accesses that the coordinators of this process hold in one group. All coordinators of the process share one
/// set of kernel locks. So this table decides which ranges stay locked when one coordinator releases an access.
struct HeldAccesses: Sendable {
    private struct Held {
        let access: ItemAccess
        /// The coordinator that holds the access. A coordinator does not wait for itself.
        let owner: UInt64
    }

    private var held: [Held] = []

    var isEmpty: Bool { held.isEmpty }

    /// Whether another coordinator of this process holds an access that excludes the given access.
    func excludes(_ access: ItemAccess, of owner: UInt64) -> Bool {
        held.contains { other in
            other.owner != owner && (access.isWriting || other.access.isWriting) && other.access.path.meets(access.path)
        }
    }

    mutating func add(_ access: ItemAccess, of owner: UInt64) { held.append(Held(access: access, owner: owner)) }

    /// Removes one access.
    mutating func remove(_ access: ItemAccess, of owner: UInt64) {
        let index = held.lastIndex {
            $0.owner == owner && $0.access.path == access.path && $0.access.isWriting == access.isWriting
        }
        if let index { held.remove(at: index) }
    }

    /// The lock that the kernel must hold on the whole of a range; nil if no access needs the whole range.
    func lock(over range: FileRange) -> Descriptor.Lock? {
        var found: Descriptor.Lock?
        for one in held where one.access.range.contains(range) {
            if one.access.isWriting { return .exclusive }
            found = .shared
        }
        return found
    }

    /// The locks that a range needs: consecutive parts of the range, each with its lock. If the lock is nil, the part
    /// must be unlocked.
    ///
    /// Of the ranges of two items, either one contains the other, or the two do not overlap. So the parts begin and
    /// end at the borders of the ranges within this range.
    func parts(of range: FileRange) -> [(range: FileRange, lock: Descriptor.Lock?)] {
        let inner = held.map(\.access.range).filter { range.contains($0) }
        guard !inner.isEmpty else { return [(range, lock(over: range))] }
        let borders = Set(inner.flatMap { [$0.start, $0.end] } + [range.start, range.end]).sorted()
        return zip(borders, borders.dropFirst()).map { start, end in
            let part = FileRange(start: start, length: end - start)
            return (part, lock(over: part))
        }
    }
}

extension FileRange {
    fileprivate func contains(_ other: FileRange) -> Bool { start <= other.start && other.end <= end }
}
