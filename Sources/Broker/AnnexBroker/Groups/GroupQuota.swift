internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPortalServer

/// Watches the size of a group's directory while one of its members runs. The limits apply to all members together. If
/// a group exceeds them, the watch of each running member ends that member. The files stay, and the containing app can
/// remove some.
final class GroupQuota: Watched {
    /// A group may hold many files, so it is checked less often than a private directory.
    static let interval = Duration.seconds(1)
    static let bytes: UInt64 = 256 << 20
    static let files: UInt64 = 16_384

    private let watch: DiskWatch

    /// - Parameters:
    ///   - process: the member's process ID on the host; nil before the process exists.
    ///   - exceeded: called at most once, on the watch thread.
    init(
        of group: OpenGroup, in process: @escaping @Sendable () -> Int32?,
        exceeded: @escaping @Sendable (String) -> Void
    ) throws(SystemError) {
        watch = DiskWatch(
            of: try group.container.duplicate(), at: "/groups/\(group.identifier)",
            named: "the app group \(group.identifier)", in: process, size: Self.bytes, inodes: Self.files,
            exceeded: exceeded)
    }

    func check() -> Bool { watch.check() }
}
