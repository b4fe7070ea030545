/// How the files of a directory that is kept get the same owner on disk at each launch.
package enum DirectoryOwner: Sendable, Hashable {
    /// The calling user. Every launch runs as this user.
    case ofCaller
    /// One user per app, by an id map on the mount: each launch runs as another user.
    case mapped(UInt32)
    /// One user per app. Each of the app's launches runs as this user, because the file system takes no id map.
    case shared(UInt32)

    var isMapped: Bool { if case .mapped = self { true } else { false } }
}
