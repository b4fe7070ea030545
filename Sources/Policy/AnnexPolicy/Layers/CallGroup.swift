/// A group of calls with the same effect. If a policy does not allow any call of a group, seccomp alone prevents this
/// effect.
struct CallGroup: Sendable {
    let names: [String]

    init(_ names: String) {
        self.names = names.split(separator: " ").map(String.init)
    }

    static let contents = CallGroup(
        """
        open openat openat2 creat open_by_handle_at truncate mkdir mkdirat mknod mknodat rmdir unlink unlinkat rename \
        renameat renameat2 link linkat symlink symlinkat execve uselib
        """)
    static let existence = CallGroup(
        """
        stat lstat newfstatat statx statfs access faccessat faccessat2 readlink readlinkat chdir chroot \
        name_to_handle_at inotify_add_watch fanotify_mark getxattr lgetxattr listxattr llistxattr getxattrat \
        listxattrat file_getattr statmount
        """)
    static let attributes = CallGroup(
        """
        chmod fchmodat fchmodat2 chown lchown fchownat utime utimes utimensat futimesat setxattr lsetxattr \
        removexattr lremovexattr setxattrat removexattrat file_setattr
        """)
    static let sockets = CallGroup("socket socketpair connect bind sendto sendmmsg")
    static let networking = CallGroup("socket io_uring_setup")
    static let signals = CallGroup(
        "kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal pidfd_open")
    static let otherMemory = CallGroup("ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd kcmp")
    static let interprocess = CallGroup(
        """
        shmget shmat shmctl semget semop semtimedop semctl msgget msgsnd msgrcv msgctl mq_open mq_unlink
        """)
    static let hostname = CallGroup("sethostname setdomainname")
    static let mounts = CallGroup(
        """
        mount umount2 pivot_root chroot open_tree open_tree_attr move_mount fsopen fsconfig fsmount fspick \
        mount_setattr
        """)
    static let namespaces = CallGroup("unshare setns clone clone3")
    static let keyring = CallGroup("keyctl add_key request_key")
    static let devices = CallGroup("open openat openat2 mknod mknodat open_by_handle_at")
    static let starting = CallGroup("execve")
}

extension LayerRows {
    /// How far seccomp alone prevents the effect of a group.
    func seccompPart(_ group: CallGroup, sees: String) -> LayerPart {
        let known = group.names.compactMap { SystemCall(named: $0, architecture: policy.architecture) }
        let allowing = known.filter { call in policy.rules[call.number]?.contains { $0.answer == .allow } ?? false }
        if allowing.isEmpty { return .whole }
        let names = allowing.map(\.name).joined(separator: ", ")
        return .none("the policy allows \(names), and \(sees)")
    }

    /// Whether these calls are refused with these registers.
    func denies(_ calls: [(name: String, arguments: [UInt64])]) -> Bool {
        calls.allSatisfy { name, arguments in
            guard let call = SystemCall(named: name, architecture: policy.architecture) else { return true }
            return policy.answer(number: call.number, arguments: arguments) != .allow
        }
    }
}
