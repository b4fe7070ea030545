internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import Glibc
internal import Logging
internal import Synchronization

/// One user's installed apps on disk: a folder for each, and one index that says which of them count.
///
/// `index` is the truth and is replaced by a rename: a folder that it does not name is what a kill left, and is swept. But
/// what a damaged index may have named is set aside, and never swept. Only one lane changes a store.
final class AppStore: Sendable {
    let path: String
    let folder: Descriptor
    let index: Mutex<StoreIndex>
    /// Apps that count no more, but may be somebody's bundle still.
    let leavings = Mutex<[Leaving]>([])

    static let indexName = "index"
    static let newIndexName = "index.new"
    /// What an index is called that could not be read: the last one of them.
    static let damagedName = "index.damaged"
    /// Ends the name of a folder that was set aside.
    static let keptSuffix = ".kept"

    private enum Reading {
        case index(StoreIndex)
        case damaged
    }

    /// Opens the store at a path, or makes it, and sweeps what a kill left.
    init(at path: String, of user: UInt32, logger: Logger) throws(SystemError) {
        try Descriptor.makeDirectories(path, mode: 0o700)
        let folder = try Descriptor.directory(path)
        try folder.checkOwn(path)
        let found =
            switch try Self.read(folder, path) {
            case .index(let index): index
            case .damaged: try Self.rebuilt(folder, path, StoreLog(user, path, logger))
            }
        self.path = path
        index = Mutex(found)
        self.folder = folder
        try sweepStrangers(but: found)
    }

    private func sweepStrangers(but found: StoreIndex) throws(SystemError) {
        for entry in try folder.entries(atMost: 100_000) {
            guard let name = entry.name, name != Self.indexName, name != Self.damagedName else { continue }
            guard !found.apps.contains(where: { $0.folder == name }) else { continue }
            if entry.isDirectory, name.hasSuffix(Self.keptSuffix) { continue }
            if entry.isDirectory { try folder.removeTree(name) } else { try folder.removeFile(name) }
        }
    }

    /// Damaged is only what was read and is no index. What the disk refuses to read, it may read another time.
    /// - Throws: `EPROTO` where a newer daemon has written the index.
    private static func read(_ folder: borrowing Descriptor, _ path: String) throws(SystemError) -> Reading {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try folder.openBeneath(indexName, O_RDONLY).readAll(atMost: StoreIndex.limits.bytes)
        } catch {
            switch error.errno {
            case ENOENT: return .index(StoreIndex())
            // Longer than any.
            case EFBIG: return .damaged
            default: throw error
            }
        }
        do throws(DecodingFailure) {
            return .index(try StoreIndex(decoding: bytes, within: StoreIndex.limits))
        } catch {
            guard let version = StoreIndex.version(of: bytes), version > StoreIndex.version else { return .damaged }
            throw SystemError(
                "index", errno: EPROTO, path: "\(path)/\(indexName)",
                remedy:
                    "a newer annexd has written it: start that one, or move the file away and install the apps again")
        }
    }

    /// Makes a change of the index lasting; nothing has changed where that fails.
    func change(_ body: (inout StoreIndex) -> Void) throws(SystemError) {
        var next = index.withLock { $0 }
        body(&next)
        try Self.write(Self.encoded(next, path), to: folder)
        index.withLock { $0 = next }
    }

    static func encoded(_ index: StoreIndex, _ path: String) throws(SystemError) -> [UInt8] {
        do throws(EncodingFailure) {
            return try index.encoded(within: StoreIndex.limits)
        } catch {
            throw SystemError("index", errno: EFBIG, path: path)
        }
    }

    static func write(_ bytes: [UInt8], to folder: borrowing Descriptor) throws(SystemError) {
        let file = try folder.openBeneath(newIndexName, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
        try file.writeAll(bytes)
        try file.synchronize()
        try folder.rename(newIndexName, to: indexName)
        try folder.synchronize()
    }

    /// Bytes of what is installed, and of what still is somebody's bundle.
    var bytes: Int64 {
        StoreIndex(apps: index.withLock { $0.apps } + leavings.withLock { $0.map(\.app) }).bytes
    }

    func path(of app: StoreIndex.App) -> String { "\(path)/\(app.folder)/\(app.name)" }

    /// Bytes that are left of a limit; what still is somebody's bundle takes its own.
    func room(within limit: Int64) -> Int64 {
        max(0, limit - bytes)
    }

    /// Removes a folder that counts no more.
    func discard(_ folder: String) {
        // What cannot be removed now is swept by the next start.
        try? self.folder.removeTree(folder)
    }

    var hasLeavings: Bool { leavings.withLock { !$0.isEmpty } }

    /// Removes what no extension has as its bundle any more.
    func sweep() {
        let free = leavings.withLock { leavings in
            let free = leavings.filter { !$0.isHeld }
            leavings.removeAll { one in free.contains { $0.app.folder == one.app.folder } }
            return free
        }
        for leaving in free { discard(leaving.app.folder) }
    }
}
