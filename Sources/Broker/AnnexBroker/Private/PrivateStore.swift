internal import AnnexBrokerAPI
internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPolicy
internal import AnnexSigning
internal import Glibc
internal import Synchronization

/// One broker's access to the private directories of its user's extensions.
///
/// This object is separate from the broker, so that the code that handles an extension's end can hold this object
/// without keeping the broker alive.
final class PrivateStore: Sendable {
    private let location: PrivateLocation?
    private let loop: EventLoop
    /// Called if a directory could not be removed. The closure gets the name of the directory and the error.
    private let onTrouble: @Sendable (String, SystemError) -> Void
    /// The removal that this broker performs now.
    private let removal = Mutex<Watch<PrivateRemoval>?>(nil)

    /// - Parameter location: the folder of the private directories; nil if the broker keeps none.
    init(_ location: PrivateLocation?, loop: EventLoop, onTrouble: @escaping @Sendable (String, SystemError) -> Void) {
        self.location = location
        self.loop = loop
        self.onTrouble = onTrouble
        // A broker that was killed may have left a removal unfinished.
        resumeRemoval()
    }

    /// Opens the private directory of an extension for one launch, and checks that the directory is within its limits.
    /// - Parameter team: the team that has signed the app; nil if no team has signed it.
    func open(
        _ key: PrivateKey, of team: Team?, as wanted: PolicyPaths.PrivateDirectory, for launcher: Launcher
    ) throws(BrokerError) -> KeptDirectory {
        let kept: KeptDirectory
        do throws(SystemError) {
            kept = try found(key, of: team, as: wanted, for: launcher)
        } catch {
            throw BrokerError(
                .system, what: "has no private directory: \(error.cause)", place: key.identifier,
                remedy: error.remedy ?? Self.remedy(error.errno))
        }
        let use = kept.use
        if let unmeasured = use.unmeasured {
            throw BrokerError(
                .system, what: "is not launched: \(unmeasured)", place: key.identifier,
                remedy: "raise this program's limit on open files (ulimit -n)")
        }
        guard let excess = use.excess else { return kept }
        throw BrokerError(
            .privateDirectoryFull, what: "is not launched: \(excess)", place: key.identifier,
            remedy: "remove files from \(kept.path), or remove the app, which removes this directory")
    }

    private func found(
        _ key: PrivateKey, of team: Team?, as wanted: PolicyPaths.PrivateDirectory, for launcher: Launcher
    ) throws(SystemError) -> KeptDirectory {
        guard let path = try location?.path() else {
            throw SystemError("open", errno: ENOENT, remedy: "name a folder for private directories")
        }
        let folder = try PrivateFolder.own(path)
        let opened = try folder.directory(of: key, team: team, hasOwners: launcher.hasUsersToGive)
        var owner = DirectoryOwner.ofCaller
        if let user = opened.owner { owner = try launcher.owner(user, of: opened.directory) }
        return try KeptDirectory(opened.takeDirectory(), path: "\(path)/\(key)", owner: owner, limits: wanted)
    }

    private static func remedy(_ errno: Int32) -> String? {
        switch errno {
        case ENOSPC, EDQUOT: "free space on the disk of the private directories, or name another folder for them"
        case EACCES, EROFS: "make the folder of the private directories writable for this user, or name another folder"
        case ELOOP, ENOTDIR, EXDEV: "a link or a file is in the place of a directory: move it away"
        default: nil
        }
    }

    // MARK: Removal

    /// Announces removals, so that they are not forgotten if this broker is killed.
    func announce(_ subjects: [PrivateSubject]) throws(BrokerError) {
        for subject in subjects {
            do throws(SystemError) {
                try folder()?.announce(subject)
            } catch {
                throw BrokerError(
                    .system, what: "its private directories cannot be removed: \(error.cause)", place: subject.app,
                    remedy: error.remedy)
            }
        }
    }

    func withdraw(_ subjects: [PrivateSubject]) {
        for subject in subjects { attempt(subject) { (folder) throws(SystemError) in try folder.withdraw(subject) } }
    }

    /// Removes private directories. A directory in use is removed when the last extension process that uses it has
    /// ended.
    func remove(_ subjects: [PrivateSubject]) {
        for subject in subjects {
            attempt(subject) { (folder) throws(SystemError) in
                switch subject {
                case .app(let app): try folder.setAside(app: app)
                case .extension(let identifier, let app):
                    try folder.setAside(PrivateKey(app: app, identifier: identifier))
                }
                try folder.withdraw(subject)
            }
        }
        if !subjects.isEmpty { resumeRemoval() }
    }

    /// The removals that were announced but not finished.
    var announcements: [PrivateSubject] { (try? folder()?.announcements()) ?? [] }

    /// The folder; nil if it does not exist.
    private func folder() throws(SystemError) -> PrivateFolder? {
        guard let path = try location?.path() else { return nil }
        return try PrivateFolder.existing(path)
    }

    private func attempt(
        _ subject: PrivateSubject, _ body: (borrowing PrivateFolder) throws(SystemError) -> Void
    ) {
        do throws(SystemError) {
            guard let folder = try folder() else { return }
            try body(folder)
        } catch {
            onTrouble(subject.name, error)
        }
    }

    /// Continues to empty the directories that were removed. This function is called at the start, after a removal, and
    /// at each end of an extension. After the end of an extension, its directory may be free. Also, the launch of the
    /// extension may have moved another team's files into `@removed`. These files must be removed too.
    func resumeRemoval() {
        guard let path = try? location?.path(), let folder = try? folder(), folder.hasRemoved else { return }
        let work = Watch(PrivateRemoval(path, onTrouble: onTrouble), orOn: loop)
        removal.withLock { $0 = work }
    }
}

/// An extension's private directory during one launch. The lock on the directory ends when this value is released.
final class KeptDirectory: Sendable {
    private let directory: Descriptor
    /// Descriptors of the directory that hold no lock: one for the launch, and one for the watch of the directory's
    /// size. The launch and the watch may keep them after the use of the directory has ended.
    private let copies: Mutex<DescriptorList>
    let path: String
    let owner: DirectoryOwner
    let limits: PolicyPaths.PrivateDirectory

    init(
        _ directory: consuming Descriptor, path: String, owner: DirectoryOwner, limits: PolicyPaths.PrivateDirectory
    ) throws(SystemError) {
        // The copies are opened now. So a lack of descriptors fails the launch, and does not leave the directory
        // unwatched.
        var copies = DescriptorList()
        for _ in 0..<2 { copies.append(try directory.openBeneath(".", O_RDONLY | O_DIRECTORY)) }
        self.copies = Mutex(copies)
        self.directory = directory
        self.path = path
        self.owner = owner
        self.limits = limits
    }

    /// The present contents of the directory.
    var use: DirectoryUse { DirectoryUse(of: directory, size: limits.size, inodes: limits.inodes) }

    /// A descriptor of the directory without the lock. The launch and the watch may each take one.
    func takeCopy() -> Descriptor? { copies.withLock { $0.takeFirst() } }
}

/// Empties removed private directories, some entries at a time.
private final class PrivateRemoval: Watched {
    static let interval = Duration.milliseconds(5)
    /// How many entries one step removes. A step takes a few milliseconds, and other checks wait for this step.
    private static let portion = 1024
    /// How many times this removal checks whether a directory is still in use. An extension process that has just ended
    /// releases its directory a moment later.
    private static let patience = 200

    private let path: String
    private let onTrouble: @Sendable (String, SystemError) -> Void
    /// SYNC: relaxed: the checks run one after another.
    private let looks = Atomic<Int>(0)

    init(_ path: String, onTrouble: @escaping @Sendable (String, SystemError) -> Void) {
        self.path = path
        self.onTrouble = onTrouble
    }

    func check() -> Bool {
        do throws(SystemError) {
            switch try PrivateFolder.existing(path)?.removeSome(atMost: Self.portion) {
            case .unfinished: return true
            case .inUse: return looks.add(1, ordering: .relaxed).newValue < Self.patience
            case .done, nil: return false
            }
        } catch {
            onTrouble(PrivateFolder.removed, error)
            return false
        }
    }
}
