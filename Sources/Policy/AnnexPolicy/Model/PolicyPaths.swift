/// The files that a process sees. No other file exists in its sandbox.
public struct PolicyPaths: Sendable, Hashable {
    /// A directory that only this process uses.
    public struct PrivateDirectory: Sendable, Hashable {
        /// The directory's path inside the sandbox.
        public let path: String
        /// The most bytes in the directory.
        public let size: UInt64
        /// The most files and directories that the directory may contain.
        public let inodes: UInt64

        package init(path: String, size: UInt64, inodes: UInt64) {
            self.path = path
            self.size = size
            self.inodes = inodes
        }
    }

    /// How much of `/proc` the sandbox contains.
    public enum ProcessFiles: String, Sendable, Hashable, CaseIterable {
        /// No `/proc`.
        case none
        /// The `/proc` of the process namespace: read-only, without the kernel's own files.
        case minimal
        /// The `/proc` of the process namespace: read-only, with the kernel's own files that every user may read. These
        /// files describe the machine: its processors, its memory and its load.
        case full
    }

    /// Which files of `/etc` Annex writes for the sandbox. These files take the place of the host's files.
    public enum EtcFiles: String, Sendable, Hashable, CaseIterable {
        /// No files.
        case none
        /// `passwd`, `group`, `hosts` and `nsswitch.conf`. These files name the program's own user and the sandbox's
        /// own name, and say nothing about the host.
        case minimal
    }

    /// The rights on the files of the extension's own bundle. They never include `write`.
    public internal(set) var bundle: PathRights = []
    /// A directory in memory that is removed with the process. The kernel limits its size. Nil if there is none.
    public internal(set) var scratch: PrivateDirectory?
    /// A directory on disk that is kept from one run to the next. Annex watches its size. Nil if there is none.
    public internal(set) var persistent: PrivateDirectory?
    /// The part of `/proc` that the process sees.
    public internal(set) var processFiles: ProcessFiles = .none
    /// The files of `/etc` that Annex writes.
    public internal(set) var etcFiles: EtcFiles = .none
    /// Which repositories of handed-over directories are found.
    public enum Repositories: String, Sendable, Hashable, CaseIterable {
        /// None.
        case none
        /// Git's: the hooks of a repository, and the main repository of a worktree.
        case git
    }

    /// The granted paths, sorted so that a directory comes before the paths below it.
    public internal(set) var grants: [PathGrant] = []
    /// The grants whose paths depend on the user who starts the program, in the order of the text. A launch needs their
    /// paths, so whatever starts the program replaces them by grants.
    public internal(set) var callersGrants: [CallersGrant] = []
    /// Which repositories are found for a program whose directories a user hands over.
    public internal(set) var repositories: Repositories = .none
    /// The hidden and protected parts of the directories that are handed over.
    public internal(set) var parts: [PathPart] = []

    /// The path of a private directory if the policy does not state one.
    package static let usualPrivatePath = "/private"
    /// The directory in which `shm_open` creates its objects.
    package static let sharedMemoryPath = "/dev/shm"

    init() {}

    package init(
        bundle: PathRights, scratch: PrivateDirectory? = nil, persistent: PrivateDirectory? = nil,
        processFiles: ProcessFiles, etcFiles: EtcFiles = .none, grants: [PathGrant], parts: [PathPart] = []
    ) {
        self.bundle = bundle
        self.scratch = scratch
        self.persistent = persistent
        self.processFiles = processFiles
        self.etcFiles = etcFiles
        self.grants = grants
        self.parts = parts
    }

    /// The rights on the folder `Frameworks` of the extension's app. The folder holds resources and no code.
    package var frameworks: PathRights { bundle.intersection(.read) }
    /// The private directories of the process. The directory on disk comes first.
    package var privateDirectories: [PrivateDirectory] { [persistent, scratch].compactMap { $0 } }
    /// The rights on the scratch directory. They include `execute` if the policy grants `write` and `execute` together
    /// on another path that is not optional. The program could then copy a file from the scratch directory to that path
    /// and execute the copy. So withholding `execute` from the scratch directory would not prevent anything.
    package var scratchRights: PathRights {
        grants.contains { $0.rights.isWritableCode && !$0.isOptional } ? [.read, .write, .execute] : [.read, .write]
    }
    /// The paths at which the program can execute files that it wrote.
    package var writableCode: [String] {
        let given = grants.filter(\.rights.isWritableCode).map(\.path)
        guard let scratch, scratchRights.isWritableCode else { return given }
        return given + [scratch.path]
    }
    /// The directory that becomes a program's `HOME`: the directory on disk if there is one, otherwise the directory in
    /// memory.
    package var home: String? { (persistent ?? scratch)?.path }
    /// The directory that becomes a program's `TMPDIR`: the directory in memory if there is one, otherwise the
    /// directory on disk.
    package var temporary: String? { (scratch ?? persistent)?.path }
}

/// One file of `/etc` that Annex writes.
package enum EtcFile: String, Sendable, Hashable, CaseIterable {
    case passwd, group, hosts
    case nsswitch = "nsswitch.conf"
    /// Where the program finds its resolver of names.
    case resolver = "resolv.conf"

    /// The files of `etc: minimal`.
    static let ofMinimal: [EtcFile] = [.passwd, .group, .hosts, .nsswitch]
    /// The files by which a program finds named hosts.
    package static let ofHosts: [EtcFile] = [.hosts, .nsswitch, .resolver]

    package var path: String { "/etc/" + rawValue }
}

/// A file or directory of the host that the sandbox contains under the same path.
public struct PathGrant: Sendable, Hashable {
    /// An absolute path without `.`, without `..`, and without a slash at its end.
    public let path: String
    /// The rights on the file or directory. For a directory, they also hold for everything below it, except for paths
    /// with a deeper grant.
    public let rights: PathRights
    /// Whether the path is left out if the host does not have it. Otherwise a missing path makes the launch fail.
    public let isOptional: Bool
    /// The reason why the policy grants the path.
    public let reason: String
    /// Where the policy grants the path; nil if a caller added the grant.
    let stated: StatedPlace?
    /// The file that names the path for every run, such as a project file; nil if no such file names it.
    package let namedIn: NamingFile?
    /// What the object at the path must be.
    package let kind: GrantedKind
    /// Whether the places that hold credentials are hidden in the directory. Then it can be a home.
    package private(set) var isWithoutCredentials = false

    package init(
        path: String, rights: PathRights, isOptional: Bool, reason: String, place: PolicyPlace?,
        namedIn: NamingFile? = nil, kind: GrantedKind = .any
    ) {
        self.init(
            path: path, rights: rights, isOptional: isOptional, reason: reason,
            stated: place.map { StatedPlace($0) }, namedIn: namedIn, kind: kind)
    }

    init(
        path: String, rights: PathRights, isOptional: Bool, reason: String, stated: StatedPlace?,
        namedIn: NamingFile? = nil, kind: GrantedKind = .any
    ) {
        self.path = path
        self.rights = rights
        self.isOptional = isOptional
        self.reason = reason
        self.stated = stated
        self.namedIn = namedIn
        self.kind = kind
    }

    /// This grant of a directory in which the places that hold credentials are hidden.
    package func withoutCredentials(_ isWithout: Bool = true) -> PathGrant {
        var grant = self
        grant.isWithoutCredentials = isWithout
        return grant
    }

    /// The line of the policy that grants the path; nil if a caller added the grant.
    public var place: PolicyPlace? { stated?.place }

    /// Whether a caller added the grant. In contrast to `place`, this reads no text.
    package var isHandedOver: Bool { stated == nil }

    /// Whether the path may lead through links.
    package var followsLinks: Bool { namedIn?.names(path) != true }
}

/// The place of a statement in a policy's text. It is looked up when a caller asks for it, because a policy that was
/// compiled ahead reads its text only then.
struct StatedPlace: Sendable, Hashable {
    private let find: @Sendable () -> PolicyPlace?

    init(_ find: @autoclosure @escaping @Sendable () -> PolicyPlace?) { self.find = find }

    var place: PolicyPlace? { find() }

    static func == (one: StatedPlace, other: StatedPlace) -> Bool { one.place == other.place }

    func hash(into hasher: inout Hasher) { hasher.combine(place) }
}

/// A file that names paths for each run of its programs, such as a project file.
///
/// The user allowed the file, and does not look at its paths again. A program of an earlier run may have replaced a
/// directory on such a path by a link. So that program must not decide where the path leads.
package struct NamingFile: Sendable, Hashable {
    /// The path of the file itself, for error messages.
    package let path: String
    /// The absolute paths that must be found without following a link.
    package let plainPaths: [String]
    /// The places that the file lets any program change. A link in such a place may be the work of a program.
    package let writablePlaces: [String]

    package init(path: String, plainPaths: [String], writablePlaces: [String]) {
        self.path = path
        self.plainPaths = plainPaths
        self.writablePlaces = writablePlaces
    }

    /// Whether a path is one of `plainPaths`, or a directory on the way to one of them.
    package func names(_ path: String) -> Bool { plainPaths.contains { PathText.isPath($0, within: path) } }
}

/// One path that exists inside the sandbox, regardless of the section of the policy that states it.
package struct VisiblePath: Sendable, Hashable {
    package let path: String
    package let rights: PathRights
    let stated: StatedPlace?
    package let reason: String

    var place: PolicyPlace? { stated?.place }
}

extension Policy {
    /// Everything that is mounted inside the sandbox. A directory comes before the paths below it. The mounts and the
    /// Landlock rules both follow this list.
    package var visiblePaths: [VisiblePath] {
        var visible = paths.grants.map {
            VisiblePath(path: $0.path, rights: $0.rights, stated: $0.stated, reason: $0.reason)
        }
        if !paths.bundle.isEmpty {
            visible.append(
                VisiblePath(
                    path: PathText.bundle, rights: paths.bundle, stated: StatedPlace(places[.bundle]),
                    reason: "the extension's own bundle"))
        }
        if !paths.frameworks.isEmpty {
            visible.append(
                VisiblePath(
                    path: PathText.frameworks, rights: paths.frameworks, stated: StatedPlace(places[.bundle]),
                    reason: "Frameworks of the extension's app, if it has one"))
        }
        if let kept = paths.persistent {
            visible.append(
                VisiblePath(
                    path: kept.path, rights: [.read, .write], stated: StatedPlace(places[.privateDirectory]),
                    reason: "the private directory"))
        }
        if let scratch = paths.scratch {
            visible.append(
                VisiblePath(
                    path: scratch.path, rights: paths.scratchRights, stated: StatedPlace(places[.privateDirectory]),
                    reason: "the scratch directory"))
        }
        if hasSharedMemory {
            visible.append(
                VisiblePath(
                    path: PolicyPaths.sharedMemoryPath, rights: [.read, .write],
                    stated: StatedPlace(places[.privateDirectory]),
                    reason: "the sandbox's own shared memory"))
        }
        if paths.processFiles != .none {
            let reason = "the sandbox's own processes" + (paths.processFiles == .full ? ", and the kernel's files" : "")
            visible.append(
                VisiblePath(path: "/proc", rights: .read, stated: StatedPlace(places[.processFiles]), reason: reason))
        }
        for file in writtenFiles {
            visible.append(
                VisiblePath(
                    path: file.path, rights: .read, stated: StatedPlace(places[.etcFiles]),
                    reason: "a file that Annex writes"))
        }
        for device in devices {
            visible.append(
                VisiblePath(
                    path: device.path, rights: [.read, .write], stated: StatedPlace(places[.devices]),
                    reason: "a device without access to hardware"))
        }
        return visible.sorted { $0.path < $1.path }
    }

    /// The files of `/etc` that Annex writes. If the policy grants the path of such a file, or of a directory above the
    /// file, the sandbox has the host's file instead. An optional grant does not count here, because the host may lack
    /// the path. For such a grant, the launch decides.
    package var writtenFiles: [EtcFile] {
        let minimal = paths.etcFiles == .minimal ? EtcFile.ofMinimal : []
        let resolving = network == .hosts ? EtcFile.ofHosts.filter { !minimal.contains($0) } : []
        return (minimal + resolving).filter { file in
            !paths.grants.contains { !$0.isOptional && PathText.isPath(file.path, within: $0.path) }
        }
    }

    /// Whether the program may list the directories above the visible paths, up to the root. The sandbox makes these
    /// directories. Their entries are only names that lead to visible paths. But Landlock would extend the right to
    /// read to everything below these directories. So the program may list them only if it may read every visible path.
    package var mayListParents: Bool { visiblePaths.allSatisfy { $0.rights.contains(.read) } }

    /// Whether the sandbox has a directory for `shm_open`. The sandbox has this directory if the policy gives a scratch
    /// directory and at least one device. The objects of `shm_open` are files in the directory, and count as memory
    /// like all other memory.
    private var hasSharedMemory: Bool {
        paths.scratch != nil && !devices.isEmpty
    }

    /// Whether a path lies below a private directory of the sandbox. At such a path, the sandbox does not have the
    /// host's file.
    package func isPrivate(_ path: String) -> Bool {
        guard paths.privateDirectories.contains(where: { PathText.isPath(path, within: $0.path) }) else { return false }
        let place = visiblePaths.last { PathText.isPath(path, within: $0.path) }?.path
        return paths.privateDirectories.contains { $0.path == place && $0.path != path }
    }

    /// Whether the sandbox can make an empty directory at this path. The path must lie outside the visible paths or in
    /// the scratch directory.
    package func canMakeDirectory(at path: String) -> Bool {
        // Each component takes an inode of the small root file system. So the number of components is limited.
        guard path != "/", PathText.misspelling(path) == nil, PathText.madeInside(path) == nil,
            PathText.parts(path).count <= 64
        else { return false }
        let scratch = paths.scratch?.path
        return visiblePaths.allSatisfy { !PathText.isPath(path, within: $0.path) || $0.path == scratch }
    }

    /// Whether a path leads to one of the kernel's own files in `/proc`, and the sandbox does not have that file. Only
    /// a `/proc` that is `full` contains these files. A minimal `/proc` contains the files of the sandbox's own
    /// processes (`subset=pid`).
    package func isHiddenProcessFile(_ path: String) -> Bool {
        guard paths.processFiles != .full, path.hasPrefix("/proc/"),
            let first = path.dropFirst(6).split(separator: "/").first
        else { return false }
        return !["self", "thread-self"].contains(first) && !first.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
