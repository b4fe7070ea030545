/// How the files of a directory that is kept between launches get the same owner on disk at each launch.
package enum DirectoryOwner: Sendable, Hashable {
    /// The owner is the calling user. Every launch runs as this user.
    case ofCaller
    /// One owner per app, by an id map on the mount. Each launch runs as a different user.
    case mapped(UInt32)
    /// One owner per app. Each of the app's launches runs as this user, because the file system supports no id map.
    case shared(UInt32)

    var isMapped: Bool { if case .mapped = self { true } else { false } }
}
