/// The files that a process sees. No other file exists in its sandbox.
public struct PolicyPaths: Sendable, Hashable {
    /// A directory that only this process sees.
    public enum PrivateDirectory: Sendable, Hashable {
        case none
        /// A directory in memory that is removed with the process. The kernel limits `size`, in bytes, and `inodes`.
        case scratch(size: UInt64, inodes: UInt64)
        /// A directory on disk that is kept from one run to the next. The broker watches `size`, in bytes, and
        /// `inodes`.
        case persistent(size: UInt64, inodes: UInt64)
    }

    /// How much of `/proc` the sandbox contains.
    public enum ProcessFiles: String, Sendable, Hashable, CaseIterable {
        /// No `/proc`.
        case none
        /// The `/proc` of the process namespace: read-only, without the kernel's own files.
        case minimal
    }

    /// The rights on the files of the extension's own bundle: never `write`.
    public internal(set) var bundle: PathRights = []
    /// The kind and bounds of the private directory.
    public internal(set) var privateDirectory: PrivateDirectory = .none
    /// The path of the private directory inside the sandbox.
    public internal(set) var privatePath = PolicyPaths.usualPrivatePath
    /// How much of `/proc` the process sees.
    public internal(set) var processFiles: ProcessFiles = .none
    /// The granted paths, sorted so that a directory comes before the paths below it.
    public internal(set) var grants: [PathGrant] = []

    /// The path of a private directory if the policy states none.
    package static let usualPrivatePath = "/private"
    /// The directory in which `shm_open` creates its objects.
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
