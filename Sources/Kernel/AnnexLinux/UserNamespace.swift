internal import CAnnexLinux
internal import Glibc

/// A user namespace, held open: whose it is, and within which other one it was made.
package struct UserNamespace: ~Copyable, Sendable {
    private let descriptor: Descriptor

    private init(owning descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// This process's own.
    package static func own() throws(SystemError) -> UserNamespace {
        UserNamespace(owning: try Descriptor.open("/proc/self/ns/user", O_RDONLY))
    }

    /// The one of another process.
    /// - Parameter number: the same process's number, for kernels before 6.11. The answer is the process's own only where
    ///   it has not ended by then.
    package init(of process: borrowing ProcessHandle, numbered number: Int32) throws(SystemError) {
        let found = annex_process_user_namespace(process.descriptor.number)
        if found >= 0 {
            descriptor = Descriptor(owning: found)
        } else {
            guard number > 0 else { throw SystemError("ioctl(PIDFD_GET_USER_NAMESPACE)", errno: -found) }
            descriptor = try Descriptor.open("/proc/\(number)/ns/user", O_RDONLY)
        }
    }

    /// The one that this one was made in.
    /// - Throws: `EPERM` where that is neither this process's own nor below it.
    package func parent() throws(SystemError) -> UserNamespace {
        UserNamespace(
            owning: Descriptor(
                owning: try SystemError.check(
                    "ioctl(NS_GET_PARENT)", annex_parent_user_namespace(descriptor.number))))
    }

    /// The user who made it, as this process's own namespace counts.
    package func owner() throws(SystemError) -> UInt32 {
        var user: UInt32 = 0
        // SAFETY: the call writes one number and keeps no pointer.
        _ = try SystemError.check(
            "ioctl(NS_GET_OWNER_UID)", unsafe annex_user_namespace_owner(descriptor.number, &user))
        return user
    }

    package func isSame(as other: borrowing UserNamespace) throws(SystemError) -> Bool {
        let (one, another) = (try descriptor.status(), try other.descriptor.status())
        return one.inode == another.inode && one.device == another.device
    }
}
