internal import AnnexLinux
internal import AnnexPolicy

/// The directories in which the services of this machine keep their files, wherever these files can be seen.
///
/// A link or a mount can show such a directory at another path. So what is compared is the file system and the path in it,
/// and not the path that a caller names.
package struct ServicePlaces {
    private let mounts: MountTable?
    /// The files of the directories that count with all that lies in them. Services may have a mount below such a directory,
    /// such as /var/log.
    private let whole: [MountTable.View]
    /// The files of the directories that count only as a whole.
    private let shared: [MountTable.View]
    /// The files in the first ones that users keep there.
    private let exceptions: [MountTable.View]

    package init() {
        self.init(.read())
    }

    init(_ mounts: MountTable?) {
        func plain(_ paths: [String]) -> [[UInt8]] {
            paths.map { path in Array(((try? HostPath.leading(path).place) ?? path).utf8) }
        }
        self.mounts = mounts
        let users = plain(PathText.ofUsersInServices)
        whole = (mounts?.files(at: plain(PathText.ofServices)) ?? []).filter { view in
            !users.contains { MountTable.isPath(view.point, within: $0) }
        }
        shared = plain(Array(PathText.shared)).compactMap { mounts?.view(of: $0) }
        exceptions = mounts?.files(at: users) ?? []
    }

    /// Whether a place is such a directory, lies in one, or shows one. If the mounts are unknown, every place is one.
    /// - Parameter path: a path without links.
    package func hold(_ path: String) -> Bool {
        guard let mounts else { return true }
        let isInUsers = PathText.ofUsersInServices.contains { PathText.isPath(path, within: $0) }
        if !isInUsers, PathText.ofServices.contains(where: { PathText.isPath(path, within: $0) }) { return true }
        return mounts.views(within: Array(path.utf8)).contains { view in
            let isOfUsers = exceptions.contains { view.lies(in: $0) && !$0.lies(in: view) }
            return (whole + shared).contains { $0.lies(in: view) } || !isOfUsers && whole.contains { view.lies(in: $0) }
        }
    }
}
