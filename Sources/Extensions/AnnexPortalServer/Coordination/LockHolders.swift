internal import AnnexLinux

/// Finds the members that hold a lock, for a member that could not get the lock in time. Runs in the row of the group.
///
/// A member learns only the bundle identifiers of members of its group that this process serves. If another process
/// holds the lock, for example an app or a member of another broker, the member learns neither its name nor its number.
struct LockHolders {
    private let group: OpenGroup

    init(of group: OpenGroup) {
        self.group = group
    }

    /// The bundle identifiers of the members that this process serves and that hold a lock in this range. The list is
    /// empty if another process holds the lock.
    func holders(of range: FileRange, besides asking: MemberLocks?) -> [String] {
        var names: Set<String> = []
        for locks in group.locksOfMembers where locks !== asking {
            if let ranges = try? locks.ranges(), ranges.contains(where: range.overlaps) { names.insert(locks.holder) }
        }
        return names.sorted()
    }
}
