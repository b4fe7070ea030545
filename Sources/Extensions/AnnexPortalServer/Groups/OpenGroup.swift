package import AnnexLinux
internal import AnnexPortal
internal import Glibc
internal import Synchronization

/// An app group that this process serves to members, which are extensions and apps. The process is a broker, or a
/// containing app that serves itself.
///
/// Several processes of the user may serve the same group. These processes share the group's files: the store, the
/// file of locks, and the page of shared words.
package final class OpenGroup: Sendable {
    package let key: GroupKey
    /// The path of the folder of private directories, which also holds the key of the user's secrets.
    let privates: String
    /// The path of the folder with the members' files on the host.
    package let containerPath: String
    /// The path of the group's folder on the host.
    package let path: String
    /// The row of the requests about this group. The requests run one after another.
    let row = Lane.Row(of: .slow)
    private let directory: Descriptor
    /// The folder of the members' files.
    package let container: Descriptor
    /// The folder of the files that belong to background transfers.
    package let transfers: Descriptor
    private let words: SharedPage
    private let store = Mutex<GroupStore?>(nil)
    private let watch = Mutex<FileWatch?>(nil)
    /// For each service, the closure that runs after any process has announced a change of the store. The closures
    /// run in the group's row.
    private let followers = Mutex<[PortalServiceName: @Sendable () -> Void]>([:])

    private struct WeakLocks {
        weak var locks: MemberLocks?
    }

    private let memberLocks = Mutex<[WeakLocks]>([])
    private let lastChanges = Mutex<[PortalServiceName: UInt64]>([:])

    package init(_ folder: consuming GroupFolder) throws(SystemError) {
        key = folder.key
        privates = folder.privates
        path = folder.path
        containerPath = folder.containerPath
        directory = try folder.directory.duplicate()
        container = try folder.container.duplicate()
        transfers = try folder.transfers.duplicate()
        words = try SharedPage(in: directory)
    }

    package var identifier: String { key.identifier }

    // MARK: Shared words and locks

    /// Changes a word. Every member of the group sees the change at once.
    /// - Parameter offset: one of `GroupWords`.
    func changeWord(_ offset: Int) { words.change(offset) }

    func word(_ offset: Int) -> UInt32 { words.load(offset) }

    /// A descriptor of the page of shared words for a member. The descriptor is open for reading only.
    func wordsForMember() throws(SystemError) -> Descriptor { try directory.openBeneath(SharedPage.name, O_RDONLY) }

    /// A new open file description of the file of locks, for one member.
    func newLocks(of member: String, number: Int32?) throws(SystemError) -> MemberLocks {
        let made = MemberLocks(try LockFile.open(in: directory), of: member, number: number)
        memberLocks.withLock { known in
            known.removeAll { $0.locks == nil }
            known.append(WeakLocks(locks: made))
        }
        return made
    }

    /// The locks of all members that this process serves.
    var locksOfMembers: [MemberLocks] { memberLocks.withLock { $0.compactMap(\.locks) } }

    /// A flag that is kept in a shared word.
    /// - Parameter offset: one of `GroupWords`.
    func newFlag(at offset: Int) throws(SystemError) -> SharedFlag {
        SharedFlag(words, at: offset, locking: try directory.openBeneath("flags", O_RDWR | O_CREAT, mode: 0o600))
    }

    // MARK: The store

    /// Uses the group's store. Call this function in the row only.
    func withStore<Result: Sendable>(_ body: (GroupStore) throws(StoreError) -> Result) throws(PortalError) -> Result {
        do throws(StoreError) {
            return try body(opened())
        } catch {
            throw PortalError(error)
        }
    }

    private func opened() throws(StoreError) -> GroupStore {
        if let known = store.withLock({ $0 }) { return known }
        let made = try GroupStore(at: storePath())
        store.withLock { $0 = made }
        return made
    }

    /// The path of the store. SQLite follows no link on the path, so this path contains none.
    private func storePath() throws(StoreError) -> String {
        do throws(SystemError) {
            return try directory.path() + "/store.db"
        } catch {
            throw StoreError(.system, what: "\(path): \(error.cause)", remedy: error.remedy)
        }
    }

    /// Starts to watch for changes that other processes make. A second call does nothing.
    /// - Throws: an error, for example if the user's limit on inotify watches is reached.
    func watchOthers(on loop: EventLoop) throws(SystemError) {
        try watch.withLock { (watch) throws(SystemError) in
            guard watch == nil else { return }
            watch = try FileWatch(ofGroup: directory, on: loop) { [weak self, row] in
                row.run { [weak self] in self?.runFollowers() }
            }
        }
    }

    /// Sets the closure that runs for a service after each announced change of the store, by any process.
    func follow(_ service: PortalServiceName, _ body: @escaping @Sendable () -> Void) {
        followers.withLock { $0[service] = body }
    }

    /// The number of the last change that this process knows of; nil if the service has not set one yet.
    func lastChange(of service: PortalServiceName) -> UInt64? { lastChanges.withLock { $0[service] } }

    func setLastChange(_ number: UInt64, of service: PortalServiceName) {
        lastChanges.withLock { $0[service] = number }
    }

    /// Makes the other processes look for a change of the store. Commit the change before this call.
    func announceChange() { words.touch() }

    private func runFollowers() { for body in followers.withLock({ $0.values }) { body() } }
}

/// The page of a group's shared words, which brokers write. The members of the group map it for reading.
final class SharedPage: Sendable {
    static let name = "words"
    private let file: Descriptor
    private let mapping: Mapping

    init(in directory: borrowing Descriptor) throws(SystemError) {
        let file = try directory.openBeneath(Self.name, O_RDWR | O_CREAT, mode: 0o600)
        // Only brokers of this user can write the file, and no broker makes it smaller. `fill` writes all bytes, so
        // that the file has no hole. If the disk is full, a memory access to a hole in a mapped file would end this
        // process.
        if try file.status().size != GroupWords.size { try Self.fill(file) }
        mapping = try Mapping(file, size: GroupWords.size, writable: true)
        try mapping.keepFromChildren()
        self.file = file
    }

    private static func fill(_ file: borrowing Descriptor) throws(SystemError) {
        let number = file.number
        let zeros = [UInt8](repeating: 0, count: GroupWords.size)
        // SAFETY: the call reads the array.
        let count = try SystemError.retrying("pwrite", path: name) { unsafe pwrite(number, zeros, zeros.count, 0) }
        guard count == zeros.count else { throw SystemError("pwrite", errno: ENOSPC, path: name) }
    }

    /// Writes to the file with a system call, because inotify does not notice when a process writes through the
    /// mapping.
    func touch() {
        // The last byte belongs to no word.
        var byte: UInt8 = 0
        // SAFETY: the call reads one byte. The call cannot fail for lack of space, because the file already has its
        // full size.
        _ = unsafe pwrite(file.number, &byte, 1, off_t(GroupWords.size - 1))
    }

    func load(_ offset: Int) -> UInt32 {
        // SAFETY: the offset lies in the page, which stays mapped as long as this object lives.
        unsafe SharedWord((mapping.start + offset).assumingMemoryBound(to: UInt32.self)).loadAcquire()
    }

    func set(_ offset: Int, to value: UInt32) {
        // SAFETY: as above. Several brokers store to the word, and each store is atomic.
        unsafe WritableWord((mapping.start + offset).assumingMemoryBound(to: UInt32.self)).storeRelease(value)
    }

    func change(_ offset: Int) {
        // SAFETY: as above.
        // SYNC: everything that this thread did before is visible to a member that reads the new value.
        unsafe Bell((mapping.start + offset).assumingMemoryBound(to: UInt32.self)).change()
    }
}
