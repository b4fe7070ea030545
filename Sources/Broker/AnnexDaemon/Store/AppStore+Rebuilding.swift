internal import AnnexBundle
internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel
internal import Glibc
internal import Logging

extension AppStore {
    private struct Found {
        let identifier: String
        let build: StoreIndex.Build
        let extensions: [String]
        /// When the folder last changed, in nanoseconds after 1970.
        let changed: Int64

        /// Whether this folder is newer than another folder. A folder whose name shows that it was once set aside
        /// counts as the older folder. In that case, the times are not compared, because setting a folder aside changes
        /// its time too.
        func isNewer(than other: Found?) -> Bool {
            guard let other else { return true }
            let (wasKept, otherWasKept) = (build.folder.hasSuffix(keptSuffix), other.build.folder.hasSuffix(keptSuffix))
            return wasKept == otherWasKept ? changed > other.changed : otherWasKept
        }
    }

    /// A folder that is not in the rebuilt index, and the reason for this.
    private struct Left {
        let folder: String
        let why: String
    }

    /// Rebuilds a damaged index from the valid apps in the store, and sets the damaged index aside. Every extension is
    /// switched off, because the damaged index no longer shows which extensions the user had switched off.
    ///
    /// The damaged index stays until the new index replaces it. If the daemon is killed before that, the next start
    /// rebuilds the index again.
    static func rebuilt(
        in folder: borrowing Descriptor, path: String, log: StoreLog
    ) throws(SystemError) -> StoreIndex {
        log.rebuilds(keeping: damagedName)
        let (index, left) = try survey(folder, path: path)
        for app in index.apps { log.found(app.identifier) }
        for one in left { try setAside(one, in: folder, log: log) }
        try keepDamaged(in: folder)
        try write(encoded(index, path: path), to: folder)
        return index
    }

    private static func survey(
        _ folder: borrowing Descriptor, path: String
    ) throws(SystemError) -> (StoreIndex, [Left]) {
        var newest: [String: [BundleVersion: Found]] = [:]
        var left: [Left] = []
        for entry in try folder.entries(atMost: 100_000) where entry.isDirectory {
            guard let name = entry.name else { continue }
            switch findApp(in: name, of: folder, path: path) {
            case .failure(let why): left.append(Left(folder: name, why: why.text))
            case .success(let found):
                let key = BundleIdentifier.folded(found.identifier)
                let other = newest[key]?[found.build.number]
                let isNewer = found.isNewer(than: other)
                if isNewer { newest[key, default: [:]][found.build.number] = found }
                // If the daemon was killed while it replaced an app, the old folder may still exist.
                if let older = isNewer ? other : found {
                    left.append(Left(folder: older.build.folder, why: "the store holds a newer copy of the same app"))
                }
            }
        }
        let apps = newest.values.compactMap { app(of: $0) }
        return (StoreIndex(apps: apps.sorted { $0.identifier < $1.identifier }), left)
    }

    /// The record of an app. The app's highest version is used.
    private static func app(of versions: [BundleVersion: Found]) -> StoreIndex.App? {
        let ranked = versions.sorted { $0.key > $1.key }.map(\.value)
        guard let first = ranked.first else { return nil }
        let off = first.extensions.map { ($0, false) }
        return StoreIndex.App(
            first.identifier, elected: first.build, others: ranked.dropFirst().map(\.build),
            choices: Dictionary(off) { first, _ in first })
    }

    /// Renames a folder instead of removing it. The folder belongs to the user, and may hold an app even if the app
    /// cannot be opened now.
    private static func setAside(
        _ left: Left, in folder: borrowing Descriptor, log: StoreLog
    ) throws(SystemError) {
        let kept = left.folder.hasSuffix(keptSuffix) ? left.folder : left.folder + keptSuffix
        if kept != left.folder { try folder.rename(left.folder, to: kept) }
        log.setAside(left.folder, as: kept, why: left.why)
    }

    /// Gives the damaged index a second name, and leaves the index in place.
    private static func keepDamaged(in folder: borrowing Descriptor) throws(SystemError) {
        do throws(SystemError) {
            try folder.removeFile(damagedName)
        } catch {
            guard error.errno == ENOENT else { throw error }
        }
        try folder.link(indexName, as: damagedName)
        // Everything done so far must reach the disk before the new index does.
        try folder.synchronize()
    }

    private struct Reason: Error {
        let text: String
    }

    /// The valid app in one of the store's folders, or the reason why the folder contains none.
    private static func findApp(
        in name: String, of folder: borrowing Descriptor, path: String
    ) -> Result<Found, Reason> {
        do {
            let directory = try folder.openBeneath(name, O_RDONLY | O_DIRECTORY)
            guard let app = try directory.entries(atMost: 16).compactMap(\.name).first(where: { $0.hasSuffix(".app") })
            else { return .failure(Reason(text: "the folder contains no Name.app")) }
            let bundle = try AppBundle.open("\(path)/\(name)/\(app)")
            let build = StoreIndex.Build(
                version: bundle.version.text, folder: name, name: app, bytes: try bytes(of: directory))
            return .success(
                Found(
                    identifier: bundle.identifier, build: build, extensions: bundle.extensions.map(\.identifier),
                    changed: try directory.status().changed))
        } catch {
            return .failure(Reason(text: "\(error)"))
        }
    }

    /// The folder's size, measured in the same way as for an archive. It is the number of bytes of all files, plus
    /// 4,096 for each entry.
    private static func bytes(of directory: borrowing Descriptor) throws(SystemError) -> UInt64 {
        var sum: UInt64 = 0
        for entry in try directory.entries(atMost: 100_000) {
            guard let name = entry.name else { continue }
            sum += 4096
            if entry.isDirectory {
                sum += try bytes(of: directory.openBeneath(name, O_RDONLY | O_DIRECTORY))
            } else if !entry.isSymbolicLink {
                sum += UInt64(clamping: try directory.openBeneath(name, O_RDONLY | O_NONBLOCK).status().size)
            }
        }
        return sum
    }
}

/// Log entries about a store whose index was rebuilt.
struct StoreLog: Sendable {
    private let logger: Logger
    private let metadata: Logger.Metadata

    init(_ user: UInt32, path: String, logger: Logger) {
        self.logger = logger
        metadata = ["user": "\(user)", "store": "\(Escaped(path))"]
    }

    func rebuilds(keeping name: String) {
        logger.error(
            "the index of a store is damaged: annexd keeps it and lists the store's apps anew, switched off",
            metadata: metadata.merging([
                "kept": "\(name)", "remedy": "switch on the extensions that you need: annex enable",
            ]) { $1 })
    }

    func found(_ app: String) {
        logger.notice(
            "an app of a damaged store was found again", metadata: metadata.merging(["app": "\(Escaped(app))"]) { $1 })
    }

    func setAside(_ folder: String, as kept: String, why: String) {
        let words: Logger.Metadata = [
            "folder": "\(Escaped(folder))", "kept": "\(Escaped(kept))", "why": "\(Escaped(why))",
        ]
        logger.error(
            "a folder of a damaged store is kept, but not installed", metadata: metadata.merging(words) { $1 })
    }
}
