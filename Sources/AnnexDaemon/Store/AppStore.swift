internal import AnnexChannel
internal import AnnexLinux
internal import AnnexService
internal import Glibc
internal import Synchronization

/// One user's installed apps on disk: a folder for each, and one index that says which of them count.
///
/// `index` is the truth and is replaced by a rename: a folder that it does not name is what a kill left, and is swept.
/// Only one lane changes a store.
final class AppStore: Sendable {
    let path: String
    let folder: Descriptor
    let index: Mutex<StoreIndex>
    /// Apps that count no more, but may be somebody's bundle still.
    let leavings = Mutex<[StoreIndex.App]>([])

    private static let indexName = "index"
    private static let newIndexName = "index.new"

    /// Opens the store at a path, or makes it, and sweeps what a kill left.
    init(at path: String) throws(SystemError) {
        try Descriptor.makeDirectories(path, mode: 0o700)
        let folder = try Descriptor.directory(path)
        try folder.checkOwn(path)
        let found = try Self.read(folder, path)
        self.path = path
        index = Mutex(found)
        self.folder = folder
        for entry in try self.folder.entries(atMost: 100_000) {
            guard let name = entry.name, name != Self.indexName else { continue }
            guard !found.apps.contains(where: { $0.folder == name }) else { continue }
            if entry.isDirectory { try self.folder.removeTree(name) } else { try self.folder.removeFile(name) }
        }
    }

    private static func read(_ folder: borrowing Descriptor, _ path: String) throws(SystemError) -> StoreIndex {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try folder.openBeneath(indexName, O_RDONLY).readAll(atMost: StoreIndex.limits.bytes)
        } catch {
            if error.errno == ENOENT { return StoreIndex() }
            throw error
        }
        do throws(DecodingFailure) {
            return try StoreIndex(decoding: bytes, within: StoreIndex.limits)
        } catch {
            throw SystemError(
                "index", errno: EUCLEAN, path: "\(path)/\(indexName)",
                mend: "move it away and install the apps again (\(error))")
        }
    }

    /// Makes a change of the index lasting; nothing has changed where that fails.
    func change(_ body: (inout StoreIndex) -> Void) throws(SystemError) {
        var next = index.withLock { $0 }
        body(&next)
        let bytes: [UInt8]
        do throws(EncodingFailure) {
            bytes = try next.encoded(within: StoreIndex.limits)
        } catch {
            throw SystemError("index", errno: EFBIG, path: path)
        }
        let file = try folder.openBeneath(Self.newIndexName, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
        try file.writeAll(bytes)
        try file.synchronize()
        try folder.rename(Self.newIndexName, to: Self.indexName)
        try folder.synchronize()
        index.withLock { $0 = next }
    }

    func path(of app: StoreIndex.App) -> String { "\(path)/\(app.folder)/\(app.name)" }

    /// Bytes that are left of a limit; what still is somebody's bundle takes its own.
    func room(within limit: Int64) -> Int64 {
        let taken = StoreIndex(apps: index.withLock { $0.apps } + leavings.withLock { $0 }).bytes
        return max(0, limit - taken)
    }

    /// Removes a folder that counts no more.
    func discard(_ folder: String) {
        // What cannot be removed now is swept by the next start.
        try? self.folder.removeTree(folder)
    }

    /// Removes what nobody's extension can have as its bundle any more.
    func sweep() {
        let waiting = leavings.withLock { leavings in
            defer { leavings = [] }
            return leavings
        }
        for app in waiting { discard(app.folder) }
    }
}
