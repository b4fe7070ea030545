internal import AnnexLinux

/// Watches what a program keeps in a directory of the host's: no kernel bounds a directory, so that it is looked at five
/// times a second, and the report says `watched`. One file is bounded by the kernel (`RLIMIT_FSIZE`).
final class DiskWatch: Watched {
    static let interval = Duration.milliseconds(200)

    private let directory: Descriptor
    private let size: UInt64
    private let inodes: UInt64
    private let exceeded: @Sendable (String) -> Void

    /// - Parameter exceeded: told at most once, on the watches' thread.
    init(
        of directory: consuming Descriptor, size: UInt64, inodes: UInt64, exceeded: @escaping @Sendable (String) -> Void
    ) {
        self.directory = directory
        self.size = size
        self.inodes = inodes
        self.exceeded = exceeded
    }

    func look() -> Bool {
        guard let excess = DirectoryUse(of: directory, size: size, inodes: inodes).excess else { return true }
        exceeded(excess)
        return false
    }
}
