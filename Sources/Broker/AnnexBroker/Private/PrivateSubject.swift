internal import AnnexLinux
internal import Glibc

/// The private directories that one removal covers. These are all directories of an app, or the directory of one
/// extension that a new version of its app no longer contains.
package enum PrivateSubject: Sendable, Hashable {
    case app(String)
    case `extension`(String, of: String)

    /// The name of this removal's announcement in the folder `@announced`. No bundle identifier contains an `@`, so the
    /// names of the two cases always differ.
    var name: String {
        switch self {
        case .app(let app): app
        case .extension(let identifier, let app): "\(app)@\(identifier)"
        }
    }

    /// The result is nil if the name is not the name of an announcement.
    init?(named name: String) {
        let parts = name.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
        switch parts.count {
        case 1: self = .app(parts[0])
        case 2: self = .extension(parts[1], of: parts[0])
        default: return nil
        }
    }

    var app: String {
        switch self {
        case .app(let app): app
        case .extension(_, let app): app
        }
    }
}

/// Announcements of removals. A daemon announces a removal before it changes its index, and withdraws the announcement
/// after the directories were moved away. If the daemon is killed in between, its next start compares the announcements
/// with the index.
extension PrivateFolder {
    static let announced = "@announced"

    func announce(_ subject: PrivateSubject) throws(SystemError) {
        let folder = try folder(Self.announced)
        do throws(SystemError) {
            try folder.makeDirectory(subject.name, mode: 0o700)
        } catch {
            guard error.errno == EEXIST else { throw error }
        }
        // The announcement must reach the disk before the index does. If the announcement exists already, an earlier
        // broker made it, but may have been killed before the announcement reached the disk.
        try folder.synchronize()
    }

    func withdraw(_ subject: PrivateSubject) throws(SystemError) {
        do throws(SystemError) {
            try folder(Self.announced).removeDirectory(subject.name)
        } catch {
            guard error.errno == ENOENT else { throw error }
        }
    }

    /// The removals that were announced and not withdrawn.
    func announcements() throws(SystemError) -> [PrivateSubject] {
        do throws(SystemError) {
            return try descriptor.openBeneath(Self.announced, O_RDONLY | O_DIRECTORY).entries(atMost: Self.mostNames)
                .compactMap { entry in entry.name.flatMap(PrivateSubject.init(named:)) }
        } catch {
            guard error.errno == ENOENT else { throw error }
            return []
        }
    }
}
