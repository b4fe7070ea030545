package import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// A lock on a state folder, which one daemon holds at a time. The kernel releases it when the process ends, whatever
/// ends it.
package struct StateLock: ~Copyable, Sendable {
    private let file: Descriptor

    /// Locks the folder, and creates it if it is missing.
    /// - Throws: `EBUSY` if another daemon holds the lock.
    package init(on state: String) throws(SystemError) {
        try Descriptor.makeDirectories(state, mode: 0o700)
        try Descriptor.directory(state).checkOwn(state)
        file = try Self.file(
            of: state, locking: 0,
            remedy: "another daemon has this state: end it first, or name another folder by --state")
    }

    /// The file of all locks, with one byte of it locked.
    fileprivate static func file(of state: String, locking byte: UInt64, remedy: String) throws(SystemError)
        -> Descriptor
    {
        try Descriptor.makeDirectories(state, mode: 0o700)
        let file = try Descriptor.open("\(state)/lock", O_RDWR | O_CREAT, mode: 0o600)
        let locked = annex_lock_byte(file.number, byte, 1)
        guard locked >= 0 else {
            throw SystemError("lock", errno: locked == -EAGAIN ? EBUSY : -locked, path: state, remedy: remedy)
        }
        return file
    }
}

/// A lock on one user's store. The user's broker holds it, or a program that removes the store.
package final class UserLock: Sendable {
    private let file: Descriptor

    /// - Parameter patience: how long to wait for the present holder; a broker of this user may be about to end.
    /// - Throws: `EBUSY` if the store is still locked after that time.
    init(_ user: UInt32, in state: String, patience: Duration) throws(SystemError) {
        let deadline = MonotonicClock.deadline(after: patience)
        while true {
            do throws(SystemError) {
                file = try StateLock.file(
                    of: state, locking: 1 + UInt64(user),
                    remedy: "somebody is at the apps of user \(user): try again when that has ended")
                return
            } catch {
                guard error.errno == EBUSY, MonotonicClock.now() < deadline else { throw error }
            }
            MonotonicClock.pause()
        }
    }
}
