package import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// The plan of one launch. The broker makes all decisions beforehand. The warden follows the plan step by step and
/// decides nothing.
///
/// The plan owns the descriptors that are sent with it. This process closes them after the warden has received them.
package struct LaunchPlan: ~Copyable, Sendable {
    /// An object on the host that appears inside the sandbox.
    struct Bind: Sendable {
        var source: String
        var target: String
        var device: UInt64
        var inode: UInt64
        var descriptor: Int
        var access: BindAccess
        /// The index, in the plan's descriptors, of the user namespace for the id map. nil for the sandbox's own user
        /// namespace.
        var map: Int?
    }

    /// A part of a bound object that gets a mount of its own in its place.
    package struct Part: Sendable, Hashable {
        /// What the mount does, with the warden's numbers.
        package enum Kind: UInt32, Sendable, Hashable {
            /// The part keeps its rights, and can be neither renamed nor removed.
            case held = 1
            /// The same, and the part is read-only.
            case protected = 2
            /// An empty object that nobody may open lies over the part.
            case hidden = 3
        }

        /// The path, which is the same in the sandbox and on the host.
        package var target: String
        package var device: UInt64
        package var inode: UInt64
        package var kind: Kind

        package init(_ kind: Kind, at target: String, device: UInt64, inode: UInt64) {
            (self.kind, self.target, self.device, self.inode) = (kind, target, device, inode)
        }
    }

    /// A descriptor that the process gets. `index` is its place in the plan's descriptors, and `number` is its number
    /// in the process.
    struct Gift: Sendable {
        var index: Int
        var number: Int32
    }

    /// A symbolic link in the new root.
    package struct Link: Sendable, Hashable {
        package var target: String
        package var contents: String

        package init(at target: String, to contents: String) {
            self.target = target
            self.contents = contents
        }
    }

    /// A file with fixed contents, or an empty directory, which the warden makes in the new root or in a `Scratch`.
    package struct File: Sendable, Hashable {
        package var target: String
        /// Nil for a directory.
        package var contents: String?

        package init(at target: String, contents: String?) {
            self.target = target
            self.contents = contents
        }
    }

    /// The executable: its path inside the sandbox, and the identity of the object that was checked.
    struct Executable: Sendable {
        var path: String
        var device: UInt64
        var inode: UInt64
    }

    /// The name of the program, and the identity of the object to which it must lead.
    struct Name: Sendable {
        var path: String
        var device: UInt64
        var inode: UInt64
        /// The index of the program's own name in the arguments.
        var argument: Int
        /// Whether the kernel may follow the name to execute the program.
        var isExecuted: Bool
    }

    /// A place that root handed over, and where the program has only the rights of every user, because the mount could
    /// get no id map.
    package struct ForeignPlace: Sendable, Hashable {
        package let path: String
        package let reason: String
        /// The file or directory in the place without which the place could have an id map; nil if there is none.
        package var part: String?
    }

    package static let ownerOnly: UInt32 = 0o077

    package var layers: SandboxLayers = .all
    /// The user and group inside the sandbox, and the user and group on the host that they stand for. The user and
    /// group on the host are never root.
    package var insideUser: UInt32 = 65534
    package var insideGroup: UInt32 = 65534
    package var outsideUser: UInt32
    package var outsideGroup: UInt32
    /// The limits of the root's own tmpfs in bytes and files. This tmpfs holds mount points only.
    package var rootSize: UInt64 = 1 << 20
    package var rootInodes: UInt64 = 1024
    package var hostname = Self.sandboxHostname
    /// The host name that every sandbox has.
    static let sandboxHostname = "annex"
    /// The working directory inside the sandbox.
    package var directory = "/"
    /// Whether the working directory exists only because the launch makes it.
    var makesDirectory = false
    package var scratches: [Scratch] = []
    /// The index of the scratch that the warden sends to this process; nil if this process looks at none.
    package var keptScratch: Int?
    package var links: [Link] = []
    package var files: [File] = []
    /// The parts of the binds that get mounts of their own. A part comes before the parts in it.
    package var parts: [Part] = []
    /// Whether the first process is a reaper and the program is its child. A program needs a reaper if it has several
    /// processes. It also needs a reaper if it must receive signals as it would without a sandbox.
    package var hasReaper = false
    /// Whether there is a read-only `/proc` that shows only the sandbox's own processes.
    package var hasProc = false
    /// Whether `/proc` also shows the kernel's own files.
    package var hasKernelFiles = false
    /// Whether the loopback interface of the sandbox's own network namespace is up.
    package var hasLoopback = false
    /// Whether the kernel, in addition to the filter, prevents memory that was ever writable from becoming executable.
    /// If the kernel cannot do this, only the filter does it.
    package var hasWriteXorExecute = false
    /// Whether the process has a lower priority than the host, by some steps of niceness (nice(2)).
    package var isNice = false
    /// Whether the process has the lowest priority for processors and disks.
    package var yields = false
    /// How much the program may watch; nil if the launch sets no limit. If the launch cannot set the limit, the program
    /// watches nothing.
    package var watchBounds: WatchBounds?
    /// The permission bits that a new file does not get (umask).
    package var fileMask = Self.ownerOnly
    /// The signals that the program ignores and blocks when it begins.
    package var signals = SignalSetting.none
    package var limits: [ResourceLimit] = []
    /// The arguments as `execve` takes them. Their bytes need not be UTF-8.
    var argumentBytes: [[UInt8]] = []
    /// The environment, each entry as `NAME=value`. Nothing from the host's environment is added.
    var environmentBytes: [[UInt8]] = []
    /// Empty directories (control groups) that the warden removes when the broker is gone.
    package var removals: [String] = []
    /// The sixth argument of the launch's own `execveat`. The filter recognizes this call by the number.
    package var execNonce: UInt64 = 0
    package var landlock = LandlockRules()
    /// The filter as `struct sock_filter[]`. The filter must allow `write`, `exit_group` and the launch's own
    /// `execveat` without notifying the broker. If there is a listener, the filter must allow `read` too.
    package var filter: [UInt8] = []
    /// `SECCOMP_FILTER_FLAG_…`.
    package var filterFlags: UInt32 = 0
    /// For tests and for `LayerTrial`: the step that fails without being performed, and its errno.
    package var fault: (step: LaunchStep, errno: Int32)?

    /// The places whose files do not belong to the program although the caller handed them over, each with the reason.
    var foreignPlaces: [ForeignPlace] = []
    /// What is known of the hidden and protected parts.
    var partFacts = PartFacts()

    /// The name by which the caller started the program; nil if there is none, as for an extension.
    var name: Name?
    private(set) var executable: Executable
    private(set) var binds: [Bind] = []
    private(set) var gifts: [Gift] = []
    private(set) var groups: [Int] = []
    private(set) var controlGroup: Int?
    private(set) var terminal: Int?
    /// The sockets that the child makes for the broker, the place of each kind in its list, and the index of the
    /// channel through which the child sends it.
    private(set) var sockets: [(kind: SandboxSocket, mark: Int, channel: Int)] = []
    var descriptors = DescriptorList()

    /// A plan for an executable that lies at `path` inside the sandbox. The executable must be the same object as
    /// `checked`.
    /// - Parameter checked: any open descriptor of the executable, even an `O_PATH` descriptor. The caller keeps it.
    package init(
        executable path: String, checked: borrowing Descriptor, outsideUser: UInt32, outsideGroup: UInt32
    ) throws(SystemError) {
        let status = try checked.status()
        executable = Executable(path: path, device: status.device, inode: status.inode)
        argumentBytes = [Array(path.utf8)]
        self.outsideUser = outsideUser
        self.outsideGroup = outsideGroup
    }
}

extension LaunchPlan {
    package var arguments: [String] {
        get { argumentBytes.map { String(decoding: $0, as: UTF8.self) } }
        set { argumentBytes = newValue.map { Array($0.utf8) } }
    }

    package var environment: [String] {
        get { environmentBytes.map { String(decoding: $0, as: UTF8.self) } }
        set { environmentBytes = newValue.map { Array($0.utf8) } }
    }

    /// Binds an object on the host at `target` inside the sandbox. The warden binds exactly this object, or fails.
    /// - Parameters:
    ///   - source: the object's path without links; nil if the broker must ask the kernel for it.
    ///   - map: for an object with an id map, the index that `add(map:)` returned; nil for the sandbox's own
    ///     user namespace.
    package mutating func bind(
        _ object: consuming Descriptor, from source: String? = nil, at target: String, access: BindAccess = [],
        map: Int? = nil
    ) throws(SystemError) {
        let status = try object.status()
        let source = if let source { source } else { try LaunchPlan.path(of: object) }
        binds.append(
            Bind(
                source: source, target: target, device: status.device, inode: status.inode,
                descriptor: add(object), access: access, map: map))
    }

    /// Adds the user namespace of an id map, for any number of binds.
    mutating func add(map: consuming Descriptor) -> Int { add(map) }

    /// Gives the process a descriptor under exactly this number. The process gets only descriptors that were given to
    /// it.
    package mutating func give(_ descriptor: consuming Descriptor, as number: Int32) {
        gifts.append(Gift(index: add(descriptor), number: number))
    }

    /// Makes the sandbox's own terminal the controlling terminal. The launch then needs a reaper, which leads the
    /// terminal's session.
    package mutating func control(by terminal: consuming Descriptor) {
        self.terminal = add(terminal)
    }

    /// Makes the child open further sockets in the sandbox's own network and send them through a channel.
    package mutating func open(_ sockets: consuming SandboxSockets) {
        let list = sockets.list
        let channel = add(sockets.takeChannel())
        self.sockets += list.enumerated().map { ($1, $0, channel) }
    }

    /// Makes the process join a version 1 control group before its first step.
    /// - Parameter tasks: the group's `tasks` file, opened for writing. This file is used because a write to
    ///   `cgroup.procs` would wait for a grace period of the kernel.
    package mutating func join(tasks: consuming Descriptor) {
        groups.append(add(tasks))
    }

    /// Makes the kernel create the process in a version 2 control group.
    /// - Parameter directory: the group's directory.
    package mutating func begin(in directory: consuming Descriptor) {
        controlGroup = add(directory)
    }

    private mutating func add(_ descriptor: consuming Descriptor) -> Int {
        descriptors.append(descriptor)
        return descriptors.count - 1
    }

    /// The object's present path. The path of a removed object ends in " (deleted)", and a removed object cannot be
    /// bound.
    static func path(of object: borrowing Descriptor) throws(SystemError) -> String {
        do throws(SystemError) {
            return try object.path()
        } catch {
            guard error.errno == EINVAL else { throw error }
            throw SystemError("bind", errno: EINVAL, remedy: "only a file or directory with a path can be bound")
        }
    }
}

/// The permitted uses of a bound object. Without any of these options, the object is read-only. A bind never honours
/// set-user-ID bits. It does not show file systems that the host mounts later.
package struct BindAccess: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let writable = BindAccess(rawValue: 1 << 0)
    /// A device node that the policy grants, such as `/dev/null`.
    package static let device = BindAccess(rawValue: 1 << 1)
    /// No file in the object can be executed.
    package static let noExecute = BindAccess(rawValue: 1 << 2)
    /// The object has an id map. Inside the sandbox, the process owns the files that a certain user owns on disk. The
    /// process's new files belong to the same user on disk. This user is the plan's inside user, or the user that the
    /// bind's map names.
    package static let owned = BindAccess(rawValue: 1 << 3)
}

/// A file system in memory, whose size the kernel limits. The file system is gone when the sandbox's processes are
/// gone.
package struct Scratch: Sendable, Hashable {
    package var target: String
    /// The limit in bytes.
    package var size: UInt64
    /// The limit of the number of files and directories.
    package var inodes: UInt64
    /// The permission bits of the top directory.
    package var mode: UInt32
    package var isExecutable: Bool

    package init(at target: String, size: UInt64, inodes: UInt64, mode: UInt32 = 0o700, isExecutable: Bool = false) {
        self.target = target
        self.size = size
        self.inodes = inodes
        self.mode = mode
        self.isExecutable = isExecutable
    }
}

/// One `setrlimit` of the process.
package struct ResourceLimit: Sendable, Hashable {
    /// `RLIMIT_…`.
    package var resource: UInt32
    package var soft: UInt64
    package var hard: UInt64

    package init(_ resource: UInt32, soft: UInt64, hard: UInt64) {
        self.resource = resource
        self.soft = soft
        self.hard = hard
    }

    /// Sets the soft and the hard limit to the same value, so that the process cannot raise its limit.
    package init(_ resource: UInt32, bound: UInt64) {
        self.init(resource, soft: bound, hard: bound)
    }

    /// This limit, lowered to this program's own hard limit if that hard limit is lower. A higher limit could not be
    /// set.
    package func withinOwn() -> ResourceLimit {
        var own = rlimit()
        // SAFETY: getrlimit writes one struct and keeps nothing.
        guard unsafe getrlimit(__rlimit_resource_t(resource), &own) == 0 else { return self }
        let most = UInt64(own.rlim_max)
        return ResourceLimit(resource, soft: min(soft, most), hard: min(hard, most))
    }
}
