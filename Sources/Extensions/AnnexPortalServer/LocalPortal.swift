package import AnnexLinux
package import AnnexPortal
internal import Glibc

/// The portal of a process that has no sandbox and serves itself: a containing app, or a command. A portal is the
/// connection through which a member, an extension or app, uses its app groups. The process is a member like any
/// other. It shares the files of its groups with the brokers of its user.
package enum LocalPortal {
    /// Makes the portal.
    /// - Parameters:
    ///   - identifier: the name by which other members learn who wrote a pasteboard or holds a lock.
    ///   - keys: the groups that the process is a member of.
    ///   - path: the folder of private directories, which contains the groups. This folder must belong to this user.
    package static func open(
        _ identifier: String, groups keys: [GroupKey], in path: String
    ) throws(SystemError) -> PortalClient {
        try Descriptor.makeDirectories(path, mode: 0o700)
        let folder = try Descriptor.directory(path)
        try folder.checkOwn(path)
        var groups: [OpenGroup] = []
        for key in keys { groups.append(try OpenGroup(GroupFolder(key, in: folder, at: path, owner: geteuid()))) }
        let server = PortalServer.standard(on: try EventLoop.shared())
        let member = try PortalMember(
            identifier, groups: groups, container: \.containerPath, isAllowed: { _ in true }, wake: {})
        let client = PortalClient(try server.connect(member) { _ in }.takeSocket(), reader: .thread)
        _ = try WorkerThread("annex-portal") { client.receiveUntilEnd() }
        return client
    }
}

/// The groups of a user that exist on the disk.
package enum KnownGroups {
    private static let most = 10_000

    /// All groups, sorted by identifier and team.
    /// - Parameter path: the folder of private directories.
    package static func list(in path: String) throws(SystemError) -> [GroupKey] {
        do throws(SystemError) {
            let groups = try Descriptor.directory(path).openBeneath(GroupFolder.groups, O_RDONLY | O_DIRECTORY)
            var keys: [GroupKey] = []
            for team in try names(in: groups) {
                let folder = try groups.openBeneath(team, O_RDONLY | O_DIRECTORY)
                keys += try names(in: folder).map { GroupKey(team: team, identifier: $0) }
            }
            return keys.sorted { ($0.identifier, $0.team) < ($1.identifier, $1.team) }
        } catch {
            guard error.errno == ENOENT else { throw error }
            return []
        }
    }

    private static func names(in folder: borrowing Descriptor) throws(SystemError) -> [String] {
        try folder.entries(atMost: most).filter(\.isDirectory).compactMap(\.name)
    }
}
