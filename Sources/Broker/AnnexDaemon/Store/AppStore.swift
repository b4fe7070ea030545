internal import AnnexBrokerAPI
internal import AnnexBundle
internal import AnnexChannel
internal import AnnexLinux
internal import AnnexSigning
internal import Glibc
internal import Logging
internal import Synchronization

/// One user's installed apps on disk. The store has a folder for each app, and an index that names the installed apps.
///
/// A rename replaces `index` as a whole. If `index` does not name a folder, a killed daemon left that folder behind,
/// and the folder is removed. If a damaged index may have named a folder, the folder is set aside and never removed.
/// Only one lane changes a store.
final class AppStore: Sendable {
    let path: String
    let folder: Descriptor
    let index: Mutex<StoreIndex>
    /// Builds that the index no longer names. Running extensions may still use them.
    private let leavings = Mutex<[Leaving]>([])
    /// The extensions of each build that was in use since the start. The key is the build's folder.
    private let users = Mutex<[String: [Leaving.Held]]>([:])

    static let indexName = "index"
    static let newIndexName = "index.new"
    /// The name of the last index that could not be read.
    static let damagedName = "index.damaged"
    /// The files of the store itself. The list of trusted teams lies next to the index.
    private static let ownNames: Set = [indexName, damagedName, TrustFile.name]
    /// The suffix of a folder that was set aside.
    static let keptSuffix = ".kept"

    private enum Reading {
        case index(StoreIndex)
        case damaged
    }

    /// Opens the store at a path, or creates it. Files and folders that a killed daemon left behind are removed.
    init(at path: String, of user: UInt32, logger: Logger) throws(SystemError) {
        try Descriptor.makeDirectories(path, mode: 0o700)
        let folder = try Descriptor.directory(path)
        try folder.checkOwn(path)
        let found =
            switch try Self.read(folder, path: path) {
            case .index(let index): index
            case .damaged: try Self.rebuilt(in: folder, path: path, log: StoreLog(user, path: path, logger: logger))
            }
        self.path = path
        index = Mutex(found)
        self.folder = folder
        try sweepStrangers(but: found)
    }

    private func sweepStrangers(but found: StoreIndex) throws(SystemError) {
        for entry in try folder.entries(atMost: 100_000) {
            guard let name = entry.name, !Self.ownNames.contains(name) else { continue }
            guard !found.apps.contains(where: { $0.builds.contains { $0.folder == name } }) else { continue }
            if entry.isDirectory, name.hasSuffix(Self.keptSuffix) { continue }
            if entry.isDirectory { try folder.removeTree(name) } else { try folder.removeFile(name) }
        }
    }

    /// Reads the index. The index counts as damaged only if it was read and is invalid. If the disk reports an error,
    /// the index does not count as damaged, because the next attempt to read it may work.
    /// - Throws: `EPROTO` if a newer daemon has written the index.
    private static func read(_ folder: borrowing Descriptor, path: String) throws(SystemError) -> Reading {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try folder.openBeneath(indexName, O_RDONLY).readAll(atMost: StoreIndex.limits.bytes)
        } catch {
            switch error.errno {
            case ENOENT: return .index(StoreIndex())
            // The file is longer than any valid index.
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
                    "a newer annexd wrote this file: start that one, or move the file away and install the apps again"
            )
        }
    }

    /// Changes the index on disk. If that fails, nothing has changed.
    func change(_ body: (inout StoreIndex) -> Void) throws(SystemError) {
        var next = index.withLock { $0 }
        body(&next)
        try Self.write(Self.encoded(next, path: path), to: folder)
        index.withLock { $0 = next }
    }

    static func encoded(_ index: StoreIndex, path: String) throws(SystemError) -> [UInt8] {
        do throws(EncodingFailure) {
            return try index.encoded(within: StoreIndex.limits)
        } catch {
            throw SystemError("index", errno: EFBIG, path: path)
        }
    }

    static func write(_ bytes: [UInt8], to folder: borrowing Descriptor) throws(SystemError) {
        try folder.replace(indexName, with: bytes, draft: newIndexName)
    }

    /// The bytes of the installed apps, and of the apps that running extensions may still use.
    var bytes: Int64 {
        let kept = index.withLock { $0.apps.map(\.bytes) }
        return StoreIndex.sum(kept + leavings.withLock { $0.map(\.build.bytes) })
    }

    func path(of build: StoreIndex.Build) -> String { "\(path)/\(build.folder)/\(build.name)" }

    /// How many more bytes fit into the store if it may hold `limit` bytes. Replaced apps count against the limit while
    /// they are still in use.
    func room(within limit: Int64) -> Int64 {
        max(0, limit - bytes)
    }

    /// Removes a folder that the index does not name.
    func discard(_ folder: String) {
        // If a folder cannot be removed now, the next start removes it.
        try? self.folder.removeTree(folder)
    }
}

extension AppStore {
    /// Records that extensions may run from a build from now on.
    func use(_ build: StoreIndex.Build, by bundles: [ExtensionBundle]) {
        users.withLock { users in
            let before = users[build.folder]?.filter { $0.bundle != nil } ?? []
            users[build.folder] = before + bundles.map { Leaving.Held(bundle: $0) }
        }
    }

    /// Records that the index no longer names a build.
    func leave(_ build: StoreIndex.Build) {
        let held = users.withLock { $0.removeValue(forKey: build.folder) } ?? []
        leavings.withLock { $0.append(Leaving(build, heldBy: held)) }
    }

    var hasLeavings: Bool { leavings.withLock { !$0.isEmpty } }

    /// Removes the replaced apps that no extension uses any more.
    func sweep() {
        let free = leavings.withLock { leavings in
            let free = leavings.filter { !$0.isHeld }
            leavings.removeAll { one in free.contains { $0.build.folder == one.build.folder } }
            return free
        }
        for leaving in free { discard(leaving.build.folder) }
    }
}

/// The folder of a build that was replaced or removed. The folder stays until no extension runs from it. A running
/// extension keeps its bundle's object alive, so the folder is in use as long as that object exists.
struct Leaving: Sendable {
    struct Held: Sendable {
        weak let bundle: ExtensionBundle?
    }

    let build: StoreIndex.Build
    private let held: [Held]

    init(_ build: StoreIndex.Build, heldBy held: [Held]) {
        self.build = build
        self.held = held
    }

    var isHeld: Bool { held.contains { $0.bundle != nil } }
}
