internal import AnnexLinux

/// Watches what a program keeps in a directory of the host's: no kernel bounds a directory, so that it is looked at five
/// times a second, and the report says `watched`. One file is bounded by the kernel (`RLIMIT_FSIZE`).
final class DiskWatch: Watched {
    static let interval = Duration.milliseconds(200)

    private let directory: Descriptor
    private let path: String
    private let process: @Sendable () -> Int32?
    private let size: UInt64
    private let inodes: UInt64
    private let exceeded: @Sendable (String) -> Void

    /// - Parameters:
    ///   - path: where the program sees it.
    ///   - process: the program's number on the host, as soon as it has one.
    ///   - exceeded: told at most once, on the watches' thread.
    init(
        of directory: consuming Descriptor, at path: String, in process: @escaping @Sendable () -> Int32?, size: UInt64,
        inodes: UInt64, exceeded: @escaping @Sendable (String) -> Void
    ) {
        self.directory = directory
        self.path = path
        self.process = process
        self.size = size
        self.inodes = inodes
        self.exceeded = exceeded
    }

    func look() -> Bool {
        let use = DirectoryUse(of: directory, besides: removed() ?? NamelessFiles(), size: size, inodes: inodes)
        guard let excess = use.excess else { return true }
        exceeded(excess)
        return false
    }

    /// nil where its processes cannot be looked at. For want of a descriptor the directory cannot either, which counts
    /// as too much.
    private func removed() -> NamelessFiles? {
        process().flatMap { process in
            try? NamelessFiles.removed(at: path, of: ProcessTree.members(of: process))
        }
    }
}
