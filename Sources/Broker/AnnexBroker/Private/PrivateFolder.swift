internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexSigning
internal import Glibc

/// The folder with all private directories of a user's extensions. Each directory has the path `APP/EXTENSION`, whose
/// two names are bundle identifiers.
///
/// Several brokers of the user may share the folder. A broker holds a shared lock (flock) on a private directory while
/// an extension process uses it. To remove a directory, a broker first moves it into the folder `@removed`. In
/// `@removed`, the broker empties the directory when no broker holds a lock on it. No bundle identifier contains an
/// `@`, so no app's folder has the name `@removed`.
///
/// All paths below the folder are opened relative to it, and no link is followed.
struct PrivateFolder: ~Copyable, Sendable {
    static let removed = "@removed"
    /// The most names that are read from one of Annex's own folders.
    static let mostNames = 100_000

    let path: String
    let descriptor: Descriptor

    /// Opens the folder, and makes it if it is missing. The folder must belong to this user.
    static func own(_ path: String) throws(SystemError) -> PrivateFolder {
        try Descriptor.makeDirectories(path, mode: 0o700)
        guard let folder = try existing(path) else { throw SystemError("open", errno: ENOENT, path: path) }
        return folder
    }

    /// Opens the folder; nil if it does not exist.
    static func existing(_ path: String) throws(SystemError) -> PrivateFolder? {
        do throws(SystemError) {
            let descriptor = try Descriptor.directory(path)
            try descriptor.checkOwn(path)
            return PrivateFolder(path: path, descriptor: descriptor)
        } catch {
            guard error.errno == ENOENT else { throw error }
            return nil
        }
    }

    /// Opens a folder inside this folder, and makes it if it is missing. The opened folder must belong to this user.
    func folder(_ name: String) throws(SystemError) -> Descriptor {
        let folder = try descriptor.directory(making: name)
        try folder.checkOwn("\(path)/\(name)")
        return folder
    }

    /// Opens an extension's private directory, and makes it if it is missing.
    /// - Parameters:
    ///   - team: the team that has signed the app; nil if no team has signed it.
    ///   - hasOwners: whether the files in the directory belong to a uid that is reserved for the app. Otherwise, they
    ///     belong to the caller.
    /// - Returns: the directory, with a shared lock on it.
    func directory(of key: PrivateKey, team: Team?, hasOwners: Bool) throws(SystemError) -> Opened {
        // A removal may move the directory away between two steps. In that case, the next attempt makes a new
        // directory.
        for _ in 0..<Self.mostTries {
            let app = try folder(ofApp: key.app, team: team)
            let owner = hasOwners ? try self.owner(of: app) : nil
            let directory = try app.directory(making: key.identifier)
            try own(directory, by: owner ?? geteuid(), key: key)
            guard try directory.lock(.shared), try app.isStill(directory, at: key.identifier),
                try descriptor.isStill(app, at: key.app)
            else { continue }
            return Opened(directory: directory, owner: owner)
        }
        throw SystemError(
            "open", errno: EBUSY, path: "\(path)/\(key)", remedy: "try again: the app is being removed")
    }

    private static let mostTries = 100

    struct Opened: ~Copyable {
        let directory: Descriptor
        /// The user that the files belong to; nil if they belong to the caller.
        let owner: UInt32?

        consuming func takeDirectory() -> Descriptor { directory }
    }

    /// Checks that a private directory belongs to the right user, and gives a new directory to that user.
    private func own(_ directory: borrowing Descriptor, by owner: UInt32, key: PrivateKey) throws(SystemError) {
        let status = try directory.status()
        if status.user != owner {
            // A new directory still belongs to this process's user, who is root.
            guard status.user == geteuid() else {
                throw SystemError(
                    "open", errno: EPERM, path: "\(path)/\(key)",
                    remedy: "it belongs to uid \(status.user) instead of \(owner): move it away")
            }
            try directory.setOwner(owner, group: owner)
        }
        if status.mode & 0o7777 != 0o700 { try directory.setMode(0o700) }
    }

    // MARK: Owners

    /// The uid that owns an app's private directories. The group ID of the app's folder is the same number, and so
    /// records the uid. The mode of the folder gives the group no rights.
    private func owner(of app: borrowing Descriptor) throws(SystemError) -> UInt32 {
        let known = try app.status().group
        if IdentityRange.owners.contains(known) { return known }
        // Another broker may choose an owner at the same time.
        let lock = try lockWaiting()
        defer { withExtendedLifetime(lock) {} }
        let group = try app.status().group
        if IdentityRange.owners.contains(group) { return group }
        let owner = try freeOwner()
        try app.setOwner(geteuid(), group: owner)
        return owner
    }

    /// A uid that owns no other app's private directories. The search starts at a random uid, so that apps in two
    /// different private folders rarely get the same owner.
    private func freeOwner() throws(SystemError) -> UInt32 {
        let range = IdentityRange.owners
        var taken: Set<UInt32> = []
        for entry in try descriptor.entries(atMost: Self.mostNames) where entry.isDirectory {
            guard let name = entry.name else { continue }
            taken.insert(try descriptor.openBeneath(name, O_RDONLY | O_DIRECTORY).status().group)
        }
        let first = range.randomElement() ?? range.lowerBound
        let free = (first..<range.upperBound).first { !taken.contains($0) } ?? range.first { !taken.contains($0) }
        if let free { return free }
        throw SystemError(
            "owner", errno: EAGAIN, path: path,
            remedy: "no user is left for a private directory: remove apps, or state a larger range in "
                + IdentityRange.variable)
    }

    /// A lock on the folder itself. Each broker holds this lock only for a moment.
    func lockWaiting() throws(SystemError) -> Descriptor {
        let own = try descriptor.openBeneath(".", O_RDONLY | O_DIRECTORY)
        let deadline = MonotonicClock.deadline(after: .seconds(30))
        while true {
            if try own.lock(.exclusive) { return own }
            guard MonotonicClock.now() < deadline else { throw SystemError("flock", errno: EAGAIN, path: path) }
            MonotonicClock.pause()
        }
    }
}

/// The names of one private directory: the bundle identifiers of its app and its extension.
struct PrivateKey: Sendable, Hashable, CustomStringConvertible {
    let app: String
    let identifier: String

    var description: String { "\(app)/\(identifier)" }
}

extension Descriptor {
    /// Whether a directory that was opened under this name still has this name.
    fileprivate func isStill(_ directory: borrowing Descriptor, at name: String) throws(SystemError) -> Bool {
        do throws(SystemError) {
            let one = try directory.status()
            let other = try openBeneath(name, Descriptor.pathOnly | O_DIRECTORY).status()
            return one.device == other.device && one.inode == other.inode
        } catch {
            guard error.errno == ENOENT else { throw error }
            return false
        }
    }
}
