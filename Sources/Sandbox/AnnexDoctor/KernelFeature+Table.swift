internal import AnnexLaunch
internal import CAnnexLinux

extension KernelFeature {
    private static func feature(
        _ trial: Int, _ id: String, _ topic: Finding.Topic, _ title: String, _ level: Finding.Level,
        _ meaning: String, needs remedy: String
    ) -> KernelFeature {
        KernelFeature(trial: trial, id: id, topic: topic, title: title, level: level, meaning: meaning, remedy: remedy)
    }

    private static let noSandbox = "no sandbox can be made without it"

    /// All features, in the order in which they are shown.
    static let all: [KernelFeature] = calls + memory + confinement + namespaces

    private static let calls = [
        feature(
            Int(ANNEX_TRIAL_CLONE3), "clone3", .calls, "clone3", .missing, noSandbox, needs: "Linux 5.13 or newer"),
        feature(
            Int(ANNEX_TRIAL_EXECVEAT), "execveat", .calls, "execveat of a descriptor", .missing, noSandbox,
            needs: "Linux 5.13 or newer"),
        feature(
            Int(ANNEX_TRIAL_OPENAT2), "openat2", .calls, "openat2 with RESOLVE_NO_SYMLINKS", .missing, noSandbox,
            needs: "Linux 5.13 or newer"),
        feature(
            Int(ANNEX_TRIAL_CLOSE_RANGE), "close-range", .calls, "close_range with CLOEXEC", .missing,
            noSandbox, needs: "Linux 5.13 or newer"),
        feature(
            Int(ANNEX_TRIAL_EPOLL_PWAIT2), "epoll-pwait2", .calls, "epoll_pwait2", .missing,
            "the broker's event loop cannot run", needs: "Linux 5.13 or newer"),
        feature(
            Int(ANNEX_TRIAL_PIDFD), "pidfd", .calls, "pidfd_open, _send_signal, _getfd", .missing,
            "processes could be addressed by their numbers only, which the kernel reuses",
            needs: "Linux 5.13 or newer"),
        feature(
            Int(ANNEX_TRIAL_READ_MEMORY), "read-memory", .calls, "process_vm_readv", .note,
            "denied calls are reported without the texts that their arguments point at",
            needs: "a filter around this program that allows process_vm_readv"),
        feature(
            Int(ANNEX_TRIAL_PEER_PIDFD), "peer-pidfd", .calls, "SO_PEERPIDFD", .note,
            "the process at the other end of a socket is known by its credentials only", needs: "Linux 6.5 or newer"),
        feature(
            Int(ANNEX_TRIAL_PASS_RIGHTS), "pass-rights", .calls, "SO_PASSRIGHTS", .note,
            "unwanted descriptors of an extension are received and closed; a newer kernel does not deliver them",
            needs: "Linux 6.16 or newer"),
    ]

    private static let memory = [
        feature(
            Int(ANNEX_TRIAL_MEMFD_SEALS), "memfd-seals", .memory, "seals with a writer that stays",
            .missing, "the wrong side of a channel could write its memory", needs: "Linux 5.1 or newer"),
        feature(
            Int(ANNEX_TRIAL_FUTEX_READ_ONLY), "futex-read-only", .memory, "futex on a read-only mapping", .missing,
            "the receiving side of a channel could not sleep", needs: "Linux 5.13 or newer"),
        feature(
            Int(ANNEX_TRIAL_MEMFD_EXECUTABLE), "memfd-executable", .memory, "programs in memory (MFD_EXEC)", .note,
            "the warden embedded in the library cannot be started; an installed one can",
            needs: "`sudo sysctl -w vm.memfd_noexec=1`, or the warden installed as /usr/libexec/annex/annex-warden"),
        feature(
            Int(ANNEX_TRIAL_MEMFD_NOEXEC), "memfd-noexec-seal", .memory, "MFD_NOEXEC_SEAL", .note,
            "only the filter and the mounts keep shared memory from being executed", needs: "Linux 6.3 or newer"),
    ]

    private static let confinement = [
        feature(
            Int(ANNEX_TRIAL_NO_NEW_PRIVS), "no-new-privs-call", .layers, "PR_SET_NO_NEW_PRIVS", .missing, noSandbox,
            needs: "Linux 5.13 or newer"),
        feature(
            Int(ANNEX_TRIAL_SECCOMP), "seccomp-filter", .layers, "seccomp filter", .missing,
            "calls would not be filtered", needs: "a kernel with CONFIG_SECCOMP_FILTER"),
        feature(
            Int(ANNEX_TRIAL_LISTENER), "seccomp-listener", .layers, "seccomp user notification", .missing,
            "the broker would get no report of denied calls",
            needs: "Linux 5.13 or newer, and no container around this program with a listener of its own (EBUSY)"),
        feature(
            Int(ANNEX_TRIAL_WAIT_KILLABLE), "seccomp-wait-killable", .layers, "listener with killable wait", .note,
            "a denied call that a signal interrupts may be reported twice", needs: "Linux 5.19 or newer"),
        feature(
            Int(ANNEX_TRIAL_LANDLOCK), "landlock-call", .layers, "Landlock, enforced", .missing,
            "only mounts would keep paths from a sandbox",
            needs: "a kernel with CONFIG_SECURITY_LANDLOCK and `landlock` in the boot parameter `lsm=`"),
        feature(
            Int(ANNEX_TRIAL_SESSION_KEYRING), "session-keyring", .layers, "session keyring of its own", .missing,
            "a sandbox would share the keys of the session", needs: "a kernel with CONFIG_KEYS"),
    ]

    private static let namespaces = [
        feature(
            Int(ANNEX_TRIAL_USER_NAMESPACE), "unshare-user", .layers, "user namespace by unshare", .note,
            "this program itself may make none; for sandboxes, only the warden's trial below counts",
            needs: "the remedy of the layer `user` below"),
        feature(
            Int(ANNEX_TRIAL_PROCFS), "procfs", .files, "procfs of its own", .note,
            "policies with `proc: minimal` cannot run, because mounts cover parts of /proc",
            needs: "`docker run --security-opt systempaths=unconfined …`, or `umount` of the mounts over /proc"),
        feature(
            Int(ANNEX_TRIAL_PROCFS_SUBSET), "procfs-subset", .files, "procfs with subset=pid", .note,
            "policies with `proc: minimal` cannot run", needs: "Linux 5.8 or newer, and no mounts over parts of /proc"),
    ]
}
