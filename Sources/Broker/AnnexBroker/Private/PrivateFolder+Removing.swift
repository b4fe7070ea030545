internal import AnnexLinux
internal import Glibc

/// The removal of private directories has two parts. The first part is one rename, which moves a directory into
/// `@removed`. So if the broker is killed, the directory is either at its old place or in `@removed`. In the second
/// part, this broker or the next broker empties the directories in `@removed` step by step.
extension PrivateFolder {
    /// Moves the private directories of a whole app away.
    func setAside(app: String) throws(SystemError) {
        try descriptor.moveIfThere(app, into: folder(Self.removed), as: Self.newName())
    }

    /// Moves one private directory away.
    func setAside(_ key: PrivateKey) throws(SystemError) {
        let app: Descriptor
        do throws(SystemError) {
            app = try descriptor.openBeneath(key.app, O_RDONLY | O_DIRECTORY)
        } catch {
            guard error.errno == ENOENT else { throw error }
            return
        }
        let removed = try folder(Self.removed)
        let name = Self.newName()
        try removed.makeDirectory(name, mode: 0o700)
        try app.moveIfThere(
            key.identifier, into: removed.openBeneath(name, O_RDONLY | O_DIRECTORY), as: key.identifier)
    }

    private static func newName() -> String { String(UInt64.random(in: 0 ... .max), radix: 36) }

    /// Whether any directory waits for its removal.
    var hasRemoved: Bool {
        guard let removed = try? descriptor.openBeneath(Self.removed, O_RDONLY | O_DIRECTORY) else { return false }
        return (try? removed.entries(atMost: 0)) == nil
    }

    /// The state of the directories in `@removed` after one step.
    enum Progress: Sendable, Equatable {
        /// All directories were removed.
        case done
        /// Some directories have contents left.
        case unfinished
        /// Extension processes still use all remaining directories.
        case inUse
    }

    /// Removes at most `limit` entries of the directories in `@removed`. If an extension process still uses a
    /// directory, the directory is skipped.
    func removeSome(atMost limit: Int) throws(SystemError) -> Progress {
        let removed = try folder(Self.removed)
        var progress = Progress.done
        for entry in try removed.entries(atMost: Self.mostNames) {
            guard let name = entry.name, entry.isDirectory else { continue }
            switch try Self.empty(removed.openBeneath(name, O_RDONLY | O_DIRECTORY), atMost: limit) {
            case .done: try? removed.removeDirectory(name)
            case .unfinished: return .unfinished
            case .inUse: progress = .inUse
            }
        }
        return progress
    }

    /// Empties the folder of one app in `@removed`.
    private static func empty(_ app: borrowing Descriptor, atMost limit: Int) throws(SystemError) -> Progress {
        var progress = Progress.done
        for entry in try app.entries(atMost: mostNames) {
            guard let name = entry.name, entry.isDirectory else { continue }
            let directory = try app.openBeneath(name, O_RDONLY | O_DIRECTORY)
            guard try directory.lock(.exclusive) else {
                progress = .inUse
                continue
            }
            guard try directory.emptied(atMost: limit) else { return .unfinished }
            try app.removeDirectory(name)
        }
        return progress
    }
}

extension Descriptor {
    /// Moves an entry if it exists.
    fileprivate func moveIfThere(
        _ name: String, into other: borrowing Descriptor, as newName: String
    ) throws(SystemError) {
        do throws(SystemError) {
            try move(name, into: other, as: newName)
        } catch {
            guard error.errno == ENOENT else { throw error }
        }
    }
}
