internal import AnnexBrokerAPI
internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc
internal import Synchronization

/// One broker's access to the private directories of its user's extensions.
///
/// It is a separate object, so that the end of an extension does not keep the broker alive.
final class PrivateStore: Sendable {
    private let place: PrivatePlace?
    private let loop: EventLoop
    private let log: BrokerLog
    /// The removal that is under way in this broker.
    private let removal = Mutex<Watch<PrivateRemoval>?>(nil)

    /// - Parameter place: nil if the broker keeps no private directories.
    init(_ place: PrivatePlace?, loop: EventLoop, log: BrokerLog) {
        self.place = place
        self.loop = loop
        self.log = log
        // A broker that was killed may have left a removal unfinished.
        resumeRemoval()
    }

    /// Opens the private directory of an extension for one launch, and checks that it is within its limits.
    func open(
        _ key: PrivateKey, as wanted: PolicyPaths.PrivateDirectory, for launcher: Launcher
    ) throws(BrokerError) -> KeptDirectory {
        let kept: KeptDirectory
        do throws(SystemError) {
            kept = try found(key, as: wanted, for: launcher)
        } catch {
            throw BrokerError(
                .system, what: "has no private directory: \(error.cause)", place: key.identifier, remedy: error.remedy)
        }
        guard let excess = kept.excess else { return kept }
        throw BrokerError(
            .privateDirectoryFull, what: "is not launched: \(excess)", place: key.identifier,
            remedy: "remove files from \(kept.path), or remove the app, which removes this directory")
    }

    private func found(
        _ key: PrivateKey, as wanted: PolicyPaths.PrivateDirectory, for launcher: Launcher
    ) throws(SystemError) -> KeptDirectory {
        guard let path = try place?.path() else {
            throw SystemError("open", errno: ENOENT, remedy: "name a folder for private directories")
        }
        let folder = try PrivateFolder.own(path)
        let opened = try folder.directory(of: key, hasOwners: launcher.hasUsersToGive)
        var owner = DirectoryOwner.ofCaller
        if let user = opened.owner { owner = try launcher.owner(user, of: opened.directory) }
        return KeptDirectory(opened.takeDirectory(), path: "\(path)/\(key)", owner: owner, limits: wanted)
    }

    // MARK: Removal

    /// Announces removals, so that a kill does not lose them.
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

    /// Removes private directories. Those in use are removed when their last instance has ended.
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

    /// The removals that were announced and not finished.
    var announcements: [PrivateSubject] { (try? folder()?.announcements()) ?? [] }

    /// The folder; nil if it does not exist.
    private func folder() throws(SystemError) -> PrivateFolder? {
        guard let path = try place?.path() else { return nil }
        return try PrivateFolder.existing(path)
    }

    private func attempt(
        _ subject: PrivateSubject, _ body: (borrowing PrivateFolder) throws(SystemError) -> Void
    ) {
        do throws(SystemError) {
            guard let folder = try folder() else { return }
            try body(folder)
        } catch {
            log.keptPrivate(subject.name, error: error)
        }
    }

    /// Continues to empty the directories that were removed. Called at the start, after a removal, and at each end of an
    /// extension, whose directory may then be free.
    func resumeRemoval() {
        guard let path = try? place?.path(), let folder = try? folder(), folder.hasRemoved else { return }
        let work = Watch(PrivateRemoval(path, log: log), orOn: loop)
        removal.withLock { $0 = work }
    }
}

/// An extension's private directory during one launch. The lock on it ends with this value.
final class KeptDirectory: Sendable {
    private let directory: Descriptor
    let path: String
    let owner: DirectoryOwner
    let limits: PolicyPaths.PrivateDirectory

    init(
        _ directory: consuming Descriptor, path: String, owner: DirectoryOwner, limits: PolicyPaths.PrivateDirectory
    ) {
        self.directory = directory
        self.path = path
        self.owner = owner
        self.limits = limits
    }

    /// A message that says which limit the directory exceeds; nil if it is within its limits.
    var excess: String? { DirectoryUse(of: directory, size: limits.size, inodes: limits.inodes).excess }

    /// The directory, opened anew: without the lock.
    func reopened() throws(SystemError) -> Descriptor { try directory.openBeneath(".", O_RDONLY | O_DIRECTORY) }
}

/// Empties removed private directories, some entries at a time.
private final class PrivateRemoval: Watched {
    static let interval = Duration.milliseconds(5)
    /// How many entries one step removes. A step takes a few milliseconds, and other checks wait for it.
    private static let portion = 1024
    /// How often it looks for the end of a use. An instance that has just ended lets go of its directory a moment later.
    private static let patience = 200

    private let path: String
    private let log: BrokerLog
    /// SYNC: relaxed: looks run one after another.
    private let looks = Atomic<Int>(0)

    init(_ path: String, log: BrokerLog) {
        self.path = path
        self.log = log
    }

    func check() -> Bool {
        do throws(SystemError) {
            switch try PrivateFolder.existing(path)?.removeSome(atMost: Self.portion) {
            case .unfinished: return true
            case .inUse: return looks.add(1, ordering: .relaxed).newValue < Self.patience
            case .done, nil: return false
            }
        } catch {
            log.keptPrivate(PrivateFolder.removed, error: error)
            return false
        }
    }
}
