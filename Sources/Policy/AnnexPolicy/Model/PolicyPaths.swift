/// The files that a process sees; everything else does not exist for it.
public struct PolicyPaths: Sendable, Hashable {
    /// A directory that only this process sees.
    public enum PrivateDirectory: Sendable, Hashable {
        case none
        /// In memory, gone with the process; `size` in bytes and `inodes` are capped by the kernel.
        case scratch(size: UInt64, inodes: UInt64)
        /// Kept on disk from one run to the next; `size` in bytes and `inodes` are watched.
        case persistent(size: UInt64, inodes: UInt64)
    }

    /// What there is of `/proc`.
    public enum ProcessFiles: String, Sendable, Hashable, CaseIterable {
        /// No `/proc`.
        case none
        /// The process namespace's own, read-only, without the kernel's own files.
        case minimal
    }

    /// What may be done with the files of its own bundle: never `write`.
    public internal(set) var bundle: PathRights = []
    public internal(set) var privateDirectory: PrivateDirectory = .none
    /// Where the private directory is inside.
    public internal(set) var privatePath = PolicyPaths.usualPrivatePath
    public internal(set) var processFiles: ProcessFiles = .none
    /// Sorted by path, so that a directory comes before what is below it.
    public internal(set) var grants: [PathGrant] = []

    /// Where a private directory is when the policy says nothing else.
    package static let usualPrivatePath = "/private"
    /// What `shm_open` makes lies there.
    package static let sharedMemoryPath = "/dev/shm"

    init() {}

    package init(
        bundle: PathRights, privateDirectory: PrivateDirectory, privatePath: String, processFiles: ProcessFiles,
        grants: [PathGrant]
    ) {
        self.bundle = bundle
        self.privateDirectory = privateDirectory
        self.privatePath = privatePath
        self.processFiles = processFiles
        self.grants = grants
    }
}
