internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPortalServer

/// Watches the size of a group's directory while one of its members runs. The members share the limits: the watch ends each
/// running member of a group that exceeds them. The files stay, and the containing app can remove some.
final class GroupQuota: Watched {
    /// A group may hold many files, so it is looked at less often than a private directory.
    static let interval = Duration.seconds(1)
    static let bytes: UInt64 = 256 << 20
    static let files: UInt64 = 16_384

    private let watch: DiskWatch

    /// - Parameters:
    ///   - process: the member's number on the host; nil before it has one.
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
