internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// The disk space for the apps of all users. There is a limit for all users together, and a number of bytes that must
/// stay free.
final class StoreSpace: Sendable {
    private struct State {
        /// The bytes of each store, by its path.
        var stores: [String: Int64] = [:]
        /// Whether the stores of users without a broker are counted too.
        var isWhole = false
        /// The bytes of installations that are in progress.
        var reserved: Int64 = 0
    }

    private let options: DaemonOptions
    private let state = Mutex(State())

    init(_ options: DaemonOptions) {
        self.options = options
    }

    /// Records how many bytes a store has.
    func record(_ bytes: Int64, at path: String) {
        state.withLock { $0.stores[path] = bytes }
    }

    /// Keeps bytes reserved as long as this object exists.
    final class Reservation: Sendable {
        private let bytes: Int64
        private let space: StoreSpace

        fileprivate init(_ bytes: Int64, in space: StoreSpace) {
            self.bytes = bytes
            self.space = space
        }

        deinit { space.state.withLock { $0.reserved -= bytes } }
    }

    /// Reserves bytes. This function must not run on the event loop's thread, because it reads the disk.
    func reserve(_ bytes: Int64, for app: String) throws(BrokerError) -> Reservation {
        let free = try freeBytes()
        let others = state.withLock { $0.isWhole } ? [:] : stores()
        let fault = state.withLock { state in
            // If `annexd --forget-user` removed a user, the user has no store any more.
            state.stores = state.stores.merging(others) { one, _ in one }.filter { access($0.key, F_OK) == 0 }
            state.isWhole = true
            let fault = shortage(state, of: bytes, free: free)
            if fault == nil { state.reserved += bytes }
            return fault
        }
        guard let fault else { return Reservation(bytes, in: self) }
        throw BrokerError(
            .overQuota, what: "does not fit: this daemon has a limit of \(fault)", place: app,
            remedy:
                "remove apps that you do not need; root can also run annexd --forget-user, or raise --limit"
        )
    }

    private func shortage(_ state: State, of bytes: Int64, free: Int64) -> String? {
        let taken = state.stores.values.reduce(state.reserved) { Self.sum(of: $0, and: $1) }
        if Self.sum(of: taken, and: bytes) > options.limits.allInstalledBytes {
            return "\(options.limits.allInstalledBytes) bytes for all users' apps together"
        }
        if Self.sum(of: Self.sum(of: state.reserved, and: bytes), and: options.limits.freeBytes) > free {
            return "\(options.limits.freeBytes) bytes that stay free on the disk"
        }
        return nil
    }

    private func freeBytes() throws(BrokerError) -> Int64 {
        do throws(SystemError) {
            return try Descriptor.directory(options.state).availableBytes()
        } catch {
            throw BrokerError(.system, what: "\(error.cause)", place: options.state)
        }
    }

    /// The sizes of all users' stores, including the stores of users without a broker.
    private func stores() -> [String: Int64] {
        guard options.isSystem else { return [:] }
        var found: [String: Int64] = [:]
        let folder = options.state + "/apps"
        guard let entries = try? Descriptor.directory(folder).entries(atMost: 1 << 20) else { return found }
        for name in entries.compactMap(\.name) {
            found["\(folder)/\(name)"] = Self.bytes(ofStoreAt: "\(folder)/\(name)")
        }
        return found
    }

    /// The size that the store's index states. An unreadable index counts as 0 until the broker of its user has rebuilt
    /// it.
    private static func bytes(ofStoreAt path: String) -> Int64 {
        let file = "\(path)/index"
        var status = stat()
        // The kind is checked before the file is opened. If the file is a pipe, opening the file would make this
        // process a reader of the pipe.
        guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let bytes = try? Descriptor.open(file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
                .readAll(atMost: StoreIndex.limits.bytes),
            let index = try? StoreIndex(decoding: bytes, within: StoreIndex.limits)
        else { return 0 }
        return index.bytes
    }

    private static func sum(of one: Int64, and other: Int64) -> Int64 {
        let (sum, isTooMuch) = one.addingReportingOverflow(other)
        return isTooMuch ? .max : sum
    }
}
