internal import AnnexLaunch
internal import CAnnexDoctor

extension KernelFeature {
    private static func feature(
        _ trial: Int, id: String, topic: Finding.Topic, title: String, level: Finding.Level,
        meaning: String, needs remedy: String
    ) -> KernelFeature {
        KernelFeature(trial: trial, id: id, topic: topic, title: title, level: level, meaning: meaning, remedy: remedy)
    }

    private static let noSandbox = "no sandbox can be made without it"

    /// All features, in the order in which they are shown.
    static let all: [KernelFeature] = calls + memory + confinement + namespaces

    private static let calls = [
        feature(
            Int(ANNEX_TRIAL_CLONE3), id: "clone3", topic: .calls, title: "clone3", level: .note,
            meaning: "the warden uses the older call clone", needs: "Linux 5.13 or newer"),
        feature(
            Int(ANNEX_TRIAL_EXECVEAT), id: "execveat", topic: .calls, title: "execveat of a descriptor",
            level: .missing, meaning: noSandbox,
            needs: "Linux 5.13 or newer"),
        feature(
            Int(ANNEX_TRIAL_OPENAT2), id: "openat2", topic: .calls, title: "openat2 with RESOLVE_NO_SYMLINKS",
            level: .missing, meaning: noSandbox,
            needs: "Linux 5.13 or newer"),
        feature(
            Int(ANNEX_TRIAL_CLOSE_RANGE), id: "close-range", topic: .calls, title: "close_range with CLOEXEC",
            level: .missing,
            meaning: noSandbox, needs: "Linux 5.13 or newer"),
        feature(
            Int(ANNEX_TRIAL_EPOLL_PWAIT2), id: "epoll-pwait2", topic: .calls, title: "epoll_pwait2", level: .missing,
            meaning: "the broker's event loop cannot run", needs: "Linux 5.13 or newer"),
        feature(
            Int(ANNEX_TRIAL_PIDFD), id: "pidfd", topic: .calls, title: "pidfd_open, pidfd_send_signal",
            level: .missing,
            meaning: "processes could be addressed by their numbers only, which the kernel reuses",
            needs: "Linux 5.13 or newer"),
        feature(
            Int(ANNEX_TRIAL_PIDFD_GETFD), id: "pidfd-getfd", topic: .calls, title: "pidfd_getfd", level: .note,
            meaning: "exclusive file locks fail, and connections of an extension that is a client of the network",
            needs: "a filter around this program that allows pidfd_getfd"),
        feature(
            Int(ANNEX_TRIAL_READ_MEMORY), id: "read-memory", topic: .calls, title: "process_vm_readv", level: .note,
            meaning: "denied calls are reported without the texts that their arguments point at",
            needs: "a filter around this program that allows process_vm_readv"),
        feature(
            Int(ANNEX_TRIAL_PEER_PIDFD), id: "peer-pidfd", topic: .calls, title: "SO_PEERPIDFD", level: .note,
            meaning: "the process at the other end of a socket is known by its credentials only",
            needs: "Linux 6.5 or newer"),
        feature(
            Int(ANNEX_TRIAL_PASS_RIGHTS), id: "pass-rights", topic: .calls, title: "SO_PASSRIGHTS", level: .note,
            meaning:
                "unwanted descriptors of an extension are received and closed; a newer kernel does not deliver them",
            needs: "Linux 6.16 or newer"),
    ]

    private static let memory = [
        feature(
            Int(ANNEX_TRIAL_MEMFD_SEALS), id: "memfd-seals", topic: .memory, title: "seals with a writer that stays",
            level: .missing, meaning: "the wrong side of a channel could write its memory", needs: "Linux 5.1 or newer"),
        feature(
            Int(ANNEX_TRIAL_FUTEX_READ_ONLY), id: "futex-read-only", topic: .memory,
            title: "futex on a read-only mapping", level: .missing,
            meaning: "the receiving side of a channel could not sleep", needs: "Linux 5.13 or newer"),
        feature(
            Int(ANNEX_TRIAL_MEMFD_EXECUTABLE), id: "memfd-executable", topic: .memory,
            title: "programs in memory (MFD_EXEC)", level: .note,
            meaning: "the warden embedded in the library cannot be started; an installed one can",
            needs: "`sudo sysctl -w vm.memfd_noexec=1`, or the warden installed as /usr/libexec/annex/annex-warden"),
        feature(
            Int(ANNEX_TRIAL_MEMFD_NOEXEC), id: "memfd-noexec-seal", topic: .memory, title: "MFD_NOEXEC_SEAL",
            level: .note,
            meaning: "only the filter and the mounts keep shared memory from being executed",
            needs: "Linux 6.3 or newer"),
    ]

    private static let confinement = [
        feature(
            Int(ANNEX_TRIAL_NO_NEW_PRIVS), id: "no-new-privs-call", topic: .layers, title: "PR_SET_NO_NEW_PRIVS",
            level: .missing, meaning: noSandbox,
            needs: "Linux 5.13 or newer"),
        feature(
            Int(ANNEX_TRIAL_SECCOMP), id: "seccomp-filter", topic: .layers, title: "seccomp filter", level: .missing,
            meaning: "calls would not be filtered", needs: "a kernel with CONFIG_SECCOMP_FILTER"),
        feature(
            Int(ANNEX_TRIAL_LISTENER), id: "seccomp-listener", topic: .layers, title: "seccomp user notification",
            level: .missing,
            meaning: "the broker would get no report of denied calls",
            needs: "Linux 5.13 or newer, and no container around this program with a listener of its own (EBUSY)"),
        feature(
            Int(ANNEX_TRIAL_WAIT_KILLABLE), id: "seccomp-wait-killable", topic: .layers,
            title: "listener with killable wait", level: .note,
            meaning: "a denied call that a signal interrupts may be reported twice", needs: "Linux 5.19 or newer"),
        feature(
            Int(ANNEX_TRIAL_LANDLOCK), id: "landlock-call", topic: .layers, title: "Landlock, enforced",
            level: .missing,
            meaning: "only mounts would keep paths from a sandbox",
            needs: "a kernel with CONFIG_SECURITY_LANDLOCK and `landlock` in the boot parameter `lsm=`"),
        feature(
            Int(ANNEX_TRIAL_SESSION_KEYRING), id: "session-keyring", topic: .layers,
            title: "session keyring of its own", level: .missing,
            meaning: "a sandbox would share the keys of the session", needs: "a kernel with CONFIG_KEYS"),
    ]

    private static let namespaces = [
        feature(
            Int(ANNEX_TRIAL_USER_NAMESPACE), id: "unshare-user", topic: .layers, title: "user namespace by unshare",
            level: .note,
            meaning: "this program itself may make none; for sandboxes, only the warden's trial below counts",
            needs: "the remedy of the layer `user` below"),
        feature(
            Int(ANNEX_TRIAL_PROCFS), id: "procfs", topic: .files, title: "procfs of its own", level: .note,
            meaning:
                "policies with `proc: minimal` run only without the layer `proc`, because mounts cover parts of /proc",
            needs: "`docker run --security-opt systempaths=unconfined …`, or `umount` of the mounts over /proc"),
        feature(
            Int(ANNEX_TRIAL_PROCFS_SUBSET), id: "procfs-subset", topic: .files, title: "procfs with subset=pid",
            level: .note,
            meaning: "policies with `proc: minimal` run only without the layer `proc`",
            needs: "Linux 5.8 or newer, and no mounts over parts of /proc"),
    ]
}
