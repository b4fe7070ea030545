package import AnnexLinux
internal import Glibc
internal import Synchronization

/// The name of a control group or folder that identifies its owner: `annex.<pid namespace>.<owner's pid>.<owner's start
/// time>.<count>`.
///
/// Within a pid namespace, the pid and the start time together identify one process for ever. So the next broker can
/// distinguish the remains of a killed broker from the groups of a running broker.
package struct OwnedName: Hashable, Sendable {
    let space: UInt64
    let owner: pid_t
    let started: UInt64
    let count: UInt64

    /// The process that made the name.
    struct Owner: Hashable {
        let space: UInt64
        let owner: pid_t
        let started: UInt64
    }

    var whose: Owner { Owner(space: space, owner: owner, started: started) }

    var text: String { "annex.\(space).\(owner).\(started).\(count)" }

    /// SYNC: relaxed, because the counts only have to be different.
    private static let counter = Atomic<UInt64>(0)

    /// A name that this process has not used yet.
    package static func next() -> String {
        let count = counter.add(1, ordering: .relaxed).newValue
        let own = own.withLock { own in
            // A forked child of the host is a different owner.
            if let own, own.owner == getpid() { return own }
            let found = Owner(space: ownSpace, owner: getpid(), started: startTime(of: getpid()) ?? 0)
            own = found
            return found
        }
        return OwnedName(space: own.space, owner: own.owner, started: own.started, count: count).text
    }

    /// This process as an owner, read from the kernel once.
    private static let own = Mutex<Owner?>(nil)

    init(space: UInt64 = ownSpace, owner: pid_t, started: UInt64, count: UInt64) {
        self.space = space
        self.owner = owner
        self.started = started
        self.count = count
    }

    /// Parses a directory's name; nil for a name in any other form.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == "annex", let space = UInt64(parts[1]), let owner = pid_t(parts[2]),
            let started = UInt64(parts[3]), let count = UInt64(parts[4])
        else { return nil }
        self.init(space: space, owner: owner, started: started, count: count)
    }

    /// Whether the process that made the name still lives. Processes of another namespace cannot be checked from here,
    /// so their names are treated as owned.
    package var isOwned: Bool {
        guard space == Self.ownSpace else { return true }
        if let time = Self.startTime(of: owner) { return time == started }
        // If the start time cannot be read because no descriptor is free, an existing process is treated as the owner.
        // Otherwise the extensions of a running broker would be ended.
        return kill(owner, 0) == 0 || errno != ESRCH
    }

    /// The number of this process's pid namespace; 0 if it cannot be read.
    static let ownSpace: UInt64 = {
        var status = stat()
        // SAFETY: the call fills the structure that it is given and keeps nothing.
        return unsafe stat("/proc/self/ns/pid", &status) == 0 ? UInt64(status.st_ino) : 0
    }()

    /// The start time in clock ticks after boot; nil if there is no such process.
    static func startTime(of process: pid_t) -> UInt64? { ProcessStat(process)?.started }
}

extension OwnedName {
    /// Folders in `parent` whose owners are gone, for example after a SIGKILL.
    package static func leftovers(in parent: String) -> [String] {
        guard let folder = try? Descriptor.directory(parent) else { return [] }
        let entries = (try? folder.entries(atMost: 65_536)) ?? []
        return entries.compactMap { entry -> String? in
            guard let text = entry.name, let name = OwnedName(text), !name.isOwned else { return nil }
            let path = parent + "/" + text
            // Every user may be able to write to `parent`. So only a real directory of this user is returned, never a
            // link to a directory.
            var status = stat()
            // SAFETY: the call fills the structure that it is given and keeps nothing.
            guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid()
            else { return nil }
            return path
        }
    }

    /// Creates a folder in `parent` whose name identifies its owner. Every user can enter the folder.
    package static func makeFolder(in parent: String) throws(SystemError) -> String {
        let path = parent + "/" + next()
        guard unsafe mkdir(path, 0o755) == 0 else { throw SystemError("mkdir", errno: errno, path: path) }
        // The umask does not affect chmod.
        guard unsafe chmod(path, 0o755) == 0 else { throw SystemError("chmod", errno: errno, path: path) }
        return path
    }
}
