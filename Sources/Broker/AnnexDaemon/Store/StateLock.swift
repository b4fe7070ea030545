package import AnnexLinux
internal import Glibc

/// A lock on a state folder. Only one daemon holds the lock at a time. When the daemon's process ends, for whatever
/// cause, the kernel releases the lock.
package struct StateLock: ~Copyable, Sendable {
    private let file: Descriptor

    /// Locks the folder, and creates it if it is missing.
    /// - Throws: `EBUSY` if another daemon holds the lock.
    package init(on state: String) throws(SystemError) {
        try Descriptor.makeDirectories(state, mode: 0o700)
        try Descriptor.directory(state).checkOwn(state)
        file = try Self.file(
            of: state, locking: 0,
            remedy: "another daemon uses this folder: end that daemon first, or name another folder with --state")
    }

    /// Opens the file of all locks, and locks one byte of it.
    fileprivate static func file(of state: String, locking byte: UInt64, remedy: String) throws(SystemError)
        -> Descriptor
    {
        try Descriptor.makeDirectories(state, mode: 0o700)
        let file = try Descriptor.open("\(state)/lock", O_RDWR | O_CREAT, mode: 0o600)
        guard try file.lock(.byte(byte), as: .exclusive) else {
            throw SystemError("lock", errno: EBUSY, path: state, remedy: remedy)
        }
        return file
    }
}

/// A lock on one user's store. The lock is held by the user's broker, or by a program that removes the store.
package final class UserLock: Sendable {
    private let file: Descriptor

    /// - Parameter patience: how long to wait for the present holder. The holder may be a broker of this user that is
    ///   about to end.
    /// - Throws: `EBUSY` if the store is still locked after that time.
    init(_ user: UInt32, in state: String, patience: Duration) throws(SystemError) {
        let deadline = MonotonicClock.deadline(after: patience)
        while true {
            do throws(SystemError) {
                file = try StateLock.file(
                    of: state, locking: 1 + UInt64(user),
                    remedy: "another process uses the apps of user \(user): try again when it has ended")
                return
            } catch {
                guard error.errno == EBUSY, MonotonicClock.now() < deadline else { throw error }
            }
            MonotonicClock.pause()
        }
    }
}

/// Removes everything that the machine's daemon keeps for a user.
package enum ForgottenUser {
    /// Removes a user's apps, reports, private directories and book of transfers. The daemon may run meanwhile, but must not hold a broker
    /// for the user.
    /// - Returns: the folders that were removed.
    /// - Throws: `EBUSY` if the user has a broker.
    package static func remove(_ user: UInt32, from options: DaemonOptions) throws(SystemError) -> [String] {
        let lock: UserLock
        do throws(SystemError) {
            lock = try UserLock(user, in: options.state, patience: .zero)
        } catch {
            guard error.errno == EBUSY else { throw error }
            throw SystemError(
                "lock", errno: EBUSY, path: options.store(of: user),
                remedy:
                    "end the user's hosts, and wait until the daemon has ended the user's broker (--limit idle)"
            )
        }
        defer { withExtendedLifetime(lock) {} }
        var removed: [String] = []
        let folders = [
            ("apps", options.store(of: user)), ("reports-of", options.reports(of: user)),
            ("private-of", options.privateDirectories(of: user)), ("transfers-of", options.transfers(of: user)),
        ]
        for (parent, path) in folders {
            do throws(SystemError) {
                try Descriptor.directory("\(options.state)/\(parent)").removeTree("\(user)")
                removed.append(path)
            } catch {
                if error.errno != ENOENT { throw error }
            }
        }
        return removed
    }
}
