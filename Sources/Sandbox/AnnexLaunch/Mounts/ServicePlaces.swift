internal import AnnexLinux
internal import AnnexPolicy

/// The directories in which the services of this machine keep their files, wherever these files can be seen.
///
/// A link or a mount can show such a directory at another path. So what is compared is the file system and the path in it,
/// and not the path that a caller names.
package struct ServicePlaces {
    private let mounts: MountTable?
    /// The directories that count with all that lies in them.
    private let whole: [MountTable.View]
    /// The directories that count only as a whole.
    private let shared: [MountTable.View]
    /// The directories in the first ones in which users keep files of their own.
    private let exceptions: [MountTable.View]

    package init() {
        let mounts = MountTable.read()
        func views(_ paths: [String]) -> [MountTable.View] {
            paths.compactMap { path in
                let place = (try? HostPath.leading(path).place) ?? path
                return mounts?.view(of: Array(place.utf8))
            }
        }
        self.mounts = mounts
        whole = views(PathText.ofServices)
        shared = views(Array(PathText.shared))
        exceptions = views(PathText.ofUsersInServices)
    }

    /// Whether a place is such a directory, lies in one, or shows one. If the mounts are unknown, every place is one.
    /// - Parameter path: a path without links.
    package func hold(_ path: String) -> Bool {
        guard let mounts else { return true }
        return mounts.views(within: Array(path.utf8)).contains { view in
            let isOfUsers = exceptions.contains { view.lies(in: $0) && !$0.lies(in: view) }
            return (whole + shared).contains { $0.lies(in: view) } || !isOfUsers && whole.contains { view.lies(in: $0) }
        }
    }
}

extension MountTable.View {
    /// Whether this view shows files of another view, or all of them.
    fileprivate func lies(in other: MountTable.View) -> Bool {
        device == other.device && MountTable.isPath(root, within: other.root)
    }
}
