internal import AnnexBrokerAPI
internal import AnnexLinux
internal import AnnexPortal
internal import AnnexPortalServer
internal import AnnexSigning
internal import Glibc
internal import Synchronization

/// One broker's access to the app groups of its user.
final class GroupAccess: Sendable {
    private struct Known {
        weak var group: OpenGroup?
    }

    private let location: PrivateLocation?
    /// The user that owns the members' files: the user of this broker. Containing apps run as this user.
    private let owner: UInt32
    /// The groups that are in use now. A group's members are extensions and containing apps. All members in this
    /// process that use a group share one object for it.
    private let known = Mutex<[GroupKey: Known]>([:])

    /// - Parameter location: the folder of private directories, in which the groups lie too; nil if the broker keeps no
    ///   such folder.
    init(_ location: PrivateLocation?, owner: UInt32) {
        self.location = location
        self.owner = owner
    }

    /// Opens groups of a team, for an extension of an app or for the app itself.
    func open(_ identifiers: [String], of team: Team, for app: String) throws(BrokerError) -> [OpenGroup] {
        do throws(SystemError) {
            guard let path = try location?.path() else {
                throw SystemError("open", errno: ENOENT, remedy: "name a folder for private directories")
            }
            let folder = try PrivateFolder.own(path)
            var groups: [OpenGroup] = []
            for identifier in identifiers {
                let key = GroupKey(team: team.publicKey.hex, identifier: identifier)
                groups.append(try open(key, in: folder))
            }
            return groups
        } catch {
            throw BrokerError(
                .system, what: "its app groups cannot be opened: \(error.cause)", place: app, remedy: error.remedy)
        }
    }

    /// Opens groups for a containing app, which runs outside of a sandbox and reaches the members' files by their
    /// paths.
    func open(_ identifiers: [String], of team: Team, forProgramsOf app: String) throws(BrokerError) -> [OpenGroup] {
        let groups = try open(identifiers, of: team, for: app)
        guard owner != geteuid() else { return groups }
        do throws(SystemError) {
            guard let path = try location?.path() else { return groups }
            let folder = try PrivateFolder.own(path)
            for group in groups { try GroupFolder.reveal(group.key, in: folder.descriptor, to: owner) }
            return groups
        } catch {
            throw BrokerError(
                .system, what: "its app groups cannot be opened to its user: \(error.cause)", place: app,
                remedy: error.remedy ?? "keep the daemon's folder on a file system with access control lists")
        }
    }

    /// Opens a group for work that goes on without a member.
    func open(_ key: GroupKey) throws(PortalError) -> OpenGroup {
        do throws(SystemError) {
            guard let path = try location?.path() else { throw SystemError("open", errno: ENOENT) }
            return try open(key, in: PrivateFolder.own(path))
        } catch {
            throw PortalError(
                .system, what: "the group \(key.identifier) cannot be opened: \(error.cause)", remedy: error.remedy)
        }
    }

    private func open(_ key: GroupKey, in folder: borrowing PrivateFolder) throws(SystemError) -> OpenGroup {
        if let group = known.withLock({ $0[key]?.group }) { return group }
        let made = try OpenGroup(GroupFolder(key, in: folder.descriptor, at: folder.path, owner: owner))
        return known.withLock { known in
            // Another launch may have opened the group meanwhile.
            if let group = known[key]?.group { return group }
            known = known.filter { $0.value.group != nil }
            known[key] = Known(group: made)
            return made
        }
    }
}
