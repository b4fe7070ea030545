internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPortalServer
internal import Synchronization

/// Watches the size of a group's directory while one of its members runs. The files of the group's background transfers
/// count too, also those that are no longer in the directory or not yet. The limits apply to all members together. If
/// a group exceeds them, all its running members end. The files stay, and the containing app can remove some.
final class GroupQuota: Watched {
    /// A group may hold many files, so it is checked less often than a private directory.
    static let interval = Duration.seconds(1)
    static let bytes = GroupLimits.bytes
    static let files: UInt64 = 16_384

    private let members: GroupMembers
    private let number: UInt64

    /// - Parameters:
    ///   - process: the member's process ID on the host; nil before the process exists.
    ///   - exceeded: called on a thread of the watches, perhaps several times.
    init(
        of group: OpenGroup, in process: @escaping @Sendable () -> Int32?,
        exceeded: @escaping @Sendable (String) -> Void
    ) throws(SystemError) {
        members = try GroupMembers.of(group)
        number = members.add(GroupMembers.Member(process: process, exceeded: exceeded))
    }

    deinit {
        members.remove(number)
    }

    func check() -> Bool { members.check() }
}

/// The running members of one group in this process. They share one watch, which counts the removed files that any of
/// them holds open.
private final class GroupMembers: Sendable {
    struct Member {
        let process: @Sendable () -> Int32?
        let exceeded: @Sendable (String) -> Void
    }

    private final class List: Sendable {
        let state = Mutex<(last: UInt64, members: [UInt64: Member])>((0, [:]))

        var members: [Member] { state.withLock { Array($0.members.values) } }
    }

    private struct Known {
        weak var members: GroupMembers?
    }

    private static let known = Mutex<[ObjectIdentifier: Known]>([:])

    private let list: List
    private let watch: DiskWatch
    /// Kept, so that no other group gets the identity of this one.
    private let group: OpenGroup

    static func of(_ group: OpenGroup) throws(SystemError) -> GroupMembers {
        let identity = ObjectIdentifier(group)
        if let members = known.withLock({ $0[identity]?.members }) { return members }
        let made = try GroupMembers(group)
        return known.withLock { known in
            // Another launch may have made the list meanwhile.
            if let members = known[identity]?.members { return members }
            known = known.filter { $0.value.members != nil }
            known[identity] = Known(members: made)
            return made
        }
    }

    private init(_ group: OpenGroup) throws(SystemError) {
        let list = List()
        self.group = group
        self.list = list
        watch = DiskWatch(
            of: try group.container.duplicate(),
            and: { () throws(SystemError) in try group.transfers.duplicate() }, at: "/groups/\(group.identifier)",
            named: "the app group \(group.identifier)", in: { list.members.compactMap { $0.process() } },
            size: GroupQuota.bytes, inodes: GroupQuota.files
        ) { excess in
            for member in list.members { member.exceeded(excess) }
        }
    }

    func add(_ member: Member) -> UInt64 {
        list.state.withLock { state in
            state.last += 1
            state.members[state.last] = member
            return state.last
        }
    }

    func remove(_ number: UInt64) {
        let member = list.state.withLock { $0.members.removeValue(forKey: number) }
        // The closures are released outside the lock, because the release of a last reference may run any code.
        withExtendedLifetime(member) {}
    }

    func check() -> Bool { watch.check() }
}
