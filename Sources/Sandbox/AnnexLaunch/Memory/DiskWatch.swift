package import AnnexLinux

/// Watches the size of a program's directory on the host. The kernel has no limit for directories, so this class checks
/// five times a second, and the report says `watched`. The kernel does limit single files (`RLIMIT_FSIZE`).
package final class DiskWatch: Watched {
    package static let interval = Duration.milliseconds(200)

    private let directory: Descriptor
    private let path: String
    private let process: @Sendable () -> Int32?
    private let size: UInt64
    private let inodes: UInt64
    private let exceeded: @Sendable (String) -> Void

    /// - Parameters:
    ///   - path: the directory's path inside the sandbox.
    ///   - process: the program's number on the host; nil before it has one.
    ///   - exceeded: called at most once, on the watch thread.
    package init(
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

    package func look() -> Bool {
        let use = DirectoryUse(of: directory, besides: removed() ?? NamelessFiles(), size: size, inodes: inodes)
        guard let excess = use.excess else { return true }
        exceeded(excess)
        return false
    }

    /// The removed files that still take space; nil if the sandbox's processes cannot be examined. If that is for lack
    /// of descriptors, the directory cannot be read either, and this counts as too much.
    private func removed() -> NamelessFiles? {
        process().flatMap { process in
            try? NamelessFiles.removed(at: path, of: ProcessTree.members(of: process))
        }
    }
}
