internal import AnnexBundle
internal import AnnexChannel
internal import AnnexLinux
internal import Glibc

extension AppStore {
    private struct Found {
        let app: StoreIndex.App
        /// When its folder last changed, in nanoseconds after 1970.
        let changed: Int64
    }

    /// Sets a damaged index aside, and makes one of the apps that lie there and pass. What was switched off nobody knows any
    /// more, so everything is: nothing runs that its user did not want.
    static func rebuilt(
        _ folder: borrowing Descriptor, _ path: String, _ log: StoreLog
    ) throws(SystemError) -> StoreIndex {
        try folder.rename(indexName, to: damagedName)
        log.rebuilds(keeping: damagedName)
        var newest: [String: Found] = [:]
        for entry in try folder.entries(atMost: 100_000) where entry.isDirectory {
            guard let name = entry.name, let found = found(in: name, of: folder, path, log) else { continue }
            // A kill may have left the one that another replaced.
            let last = newest[found.app.identifier]?.changed ?? .min
            if found.changed > last { newest[found.app.identifier] = found }
        }
        let index = StoreIndex(apps: newest.values.map(\.app).sorted { $0.identifier < $1.identifier })
        for app in index.apps { log.found(app.identifier) }
        try write(encoded(index, path), to: folder)
        return index
    }

    /// The app in one of the store's folders; nil where there is none that passes, which the log hears of.
    private static func found(
        in name: String, of folder: borrowing Descriptor, _ path: String, _ log: StoreLog
    ) -> Found? {
        do {
            let directory = try folder.openBeneath(name, O_RDONLY | O_DIRECTORY)
            guard let app = try directory.entries(atMost: 16).compactMap(\.name).first(where: { $0.hasSuffix(".app") })
            else {
                log.lost(name, "it holds no Name.app")
                return nil
            }
            let bundle = try AppBundle.open("\(path)/\(name)/\(app)")
            let found = StoreIndex.App(
                identifier: bundle.identifier, folder: name, name: app, bytes: try bytes(of: directory),
                disabled: bundle.extensions.map(\.identifier))
            return Found(app: found, changed: try directory.status().changed)
        } catch {
            log.lost(name, "\(error)")
            return nil
        }
    }

    /// As an archive is measured: a block at least for each file and directory.
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
