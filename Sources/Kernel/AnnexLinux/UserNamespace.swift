internal import CAnnexLinux
internal import Glibc

/// A user namespace that this value holds open. The kernel reports its owner and its parent namespace.
package struct UserNamespace: ~Copyable, Sendable {
    private let descriptor: Descriptor

    private init(owning descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// This process's own user namespace.
    package static func own() throws(SystemError) -> UserNamespace {
        UserNamespace(owning: try Descriptor.open("/proc/self/ns/user", O_RDONLY))
    }

    /// The user namespace of another process.
    /// - Parameter number: the same process's number, which kernels before 6.11 need. If the process has ended, the
    ///   result on those kernels may be the namespace of another process.
    package init(of process: borrowing ProcessHandle, numbered number: Int32) throws(SystemError) {
        let found = annex_process_user_namespace(process.descriptor.number)
        if found >= 0 {
            descriptor = Descriptor(owning: found)
        } else {
            guard number > 0 else { throw SystemError("ioctl(PIDFD_GET_USER_NAMESPACE)", errno: -found) }
            descriptor = try Descriptor.open("/proc/\(number)/ns/user", O_RDONLY)
        }
    }

    /// The namespace in which this namespace was created.
    /// - Throws: `EPERM` if the parent is neither this process's own namespace nor below it.
    package func parent() throws(SystemError) -> UserNamespace {
        UserNamespace(
            owning: Descriptor(
                owning: try SystemError.check(
                    "ioctl(NS_GET_PARENT)", annex_parent_user_namespace(descriptor.number))))
    }

    /// The user who created the namespace, as a user ID of this process's own namespace.
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
