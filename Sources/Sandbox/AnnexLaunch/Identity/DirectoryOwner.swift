/// How the files of a directory that is kept get the same owner on disk at each launch.
package enum DirectoryOwner: Sendable, Hashable {
    /// The calling user, as whom every launch runs.
    case ofCaller
    /// One user per app, by an id map on the mount: each launch runs as another user.
    case mapped(UInt32)
    /// One user per app, as whom each of its launches runs, because the file system takes no id map.
    case shared(UInt32)

    var isMapped: Bool { if case .mapped = self { true } else { false } }
}
