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

/// A file or directory of the host that the sandbox contains under the same path.
public struct PathGrant: Sendable, Hashable {
    /// An absolute path without `.`, `..` and a slash at its end.
    public let path: String
    /// The rights on the file, or on everything below the directory except paths with a deeper grant.
    public let rights: PathRights
    /// Whether a path that the host lacks is left out. Otherwise a missing path fails the launch.
    public let isOptional: Bool
    /// Why the policy grants it.
    public let reason: String
    /// The line of the policy that grants it; nil if a caller added the grant.
    public let place: PolicyPlace?

    package init(path: String, rights: PathRights, isOptional: Bool, reason: String, place: PolicyPlace?) {
        self.path = path
        self.rights = rights
        self.isOptional = isOptional
        self.reason = reason
        self.place = place
    }
}

/// One path that exists inside the sandbox, whichever section of the policy states it.
package struct VisiblePath: Sendable, Hashable {
    package let path: String
    package let rights: PathRights
    let place: PolicyPlace?
    package let reason: String
}

extension Policy {
    /// Everything that is mounted inside the sandbox. A directory comes before the paths below it. The mounts and the
    /// Landlock rules both follow this list.
    package var visiblePaths: [VisiblePath] {
        var visible = paths.grants.map {
            VisiblePath(path: $0.path, rights: $0.rights, place: $0.place, reason: $0.reason)
        }
        if !paths.bundle.isEmpty {
            visible.append(
                VisiblePath(
                    path: PathText.bundle, rights: paths.bundle, place: places[.bundle],
                    reason: "the extension's own bundle"))
        }
        if paths.privateDirectory != .none {
            visible.append(
                VisiblePath(
                    path: paths.privatePath, rights: [.read, .write], place: places[.privateDirectory],
                    reason: "the private directory"))
        }
        if hasSharedMemory {
            visible.append(
                VisiblePath(
                    path: PolicyPaths.sharedMemoryPath, rights: [.read, .write], place: places[.privateDirectory],
                    reason: "the sandbox's own shared memory"))
        }
        if paths.processFiles == .minimal {
            visible.append(
                VisiblePath(
                    path: "/proc", rights: .read, place: places[.processFiles], reason: "the sandbox's own processes"))
        }
        for device in devices {
            visible.append(
                VisiblePath(
                    path: device.path, rights: [.read, .write], place: places[.devices],
                    reason: "a device without access to hardware"))
        }
        return visible.sorted { $0.path < $1.path }
    }

    /// Whether the sandbox has a directory for `shm_open`: it needs a scratch directory and a `/dev`. The objects are
    /// files there, and count as memory like any other.
    private var hasSharedMemory: Bool {
        if case .scratch = paths.privateDirectory { !devices.isEmpty } else { false }
    }

    /// Whether a minimal `/proc` hides the file: it holds only the files of the sandbox's own processes (`subset=pid`).
    func isHiddenProcessFile(_ path: String) -> Bool {
        guard path.hasPrefix("/proc/"), let first = path.dropFirst(6).split(separator: "/").first else { return false }
        return !["self", "thread-self"].contains(first) && !first.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
