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
            "processes could only be named by numbers that are used again", needs: "Linux 5.13 or newer"),
        feature(
            Int(ANNEX_TRIAL_READ_MEMORY), "read-memory", .calls, "process_vm_readv", .note,
            "refused calls are reported without the texts that their arguments point at",
            needs: "a filter around this program that allows process_vm_readv"),
        feature(
            Int(ANNEX_TRIAL_PEER_PIDFD), "peer-pidfd", .calls, "SO_PEERPIDFD", .note,
            "a socket's other end is known by credentials alone", needs: "Linux 6.5 or newer"),
        feature(
            Int(ANNEX_TRIAL_PASS_RIGHTS), "pass-rights", .calls, "SO_PASSRIGHTS", .note,
            "descriptors that an extension sends unasked are received and closed, instead of never arriving",
            needs: "Linux 6.16 or newer"),
    ]

    private static let memory = [
        feature(
            Int(ANNEX_TRIAL_MEMFD_SEALS), "memfd-seals", .memory, "seals with a writer that stays",
            .missing, "a channel's memory could be written by the wrong side", needs: "Linux 5.1 or newer"),
        feature(
            Int(ANNEX_TRIAL_FUTEX_READ_ONLY), "futex-read-only", .memory, "futex on a read-only mapping", .missing,
            "the receiving side of a channel could not sleep", needs: "Linux 5.13 or newer"),
        feature(
            Int(ANNEX_TRIAL_MEMFD_EXECUTABLE), "memfd-executable", .memory, "programs in memory (MFD_EXEC)", .note,
            "the warden that the library carries cannot be started; an installed one can",
            needs: "`sudo sysctl -w vm.memfd_noexec=1`, or the warden installed as /usr/libexec/annex/annex-warden"),
        feature(
            Int(ANNEX_TRIAL_MEMFD_NOEXEC), "memfd-noexec-seal", .memory, "MFD_NOEXEC_SEAL", .note,
            "shared memory is kept from being executed by filter and mounts alone", needs: "Linux 6.3 or newer"),
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
            "nobody would hear of refused calls",
            needs: "Linux 5.13 or newer, and no listener of a container's around this program (EBUSY)"),
        feature(
            Int(ANNEX_TRIAL_WAIT_KILLABLE), "seccomp-wait-killable", .layers, "listener with killable wait", .note,
            "a refused call that a signal interrupts may be reported twice", needs: "Linux 5.19 or newer"),
        feature(
            Int(ANNEX_TRIAL_LANDLOCK), "landlock-call", .layers, "Landlock, enforced", .missing,
            "paths would be held by mounts alone",
            needs: "a kernel with CONFIG_SECURITY_LANDLOCK and `landlock` in the boot parameter `lsm=`"),
        feature(
            Int(ANNEX_TRIAL_SESSION_KEYRING), "session-keyring", .layers, "session keyring of its own", .missing,
            "a sandbox would share the keys of the session", needs: "a kernel with CONFIG_KEYS"),
    ]

    private static let namespaces = [
        feature(
            Int(ANNEX_TRIAL_USER_NAMESPACE), "unshare-user", .layers, "user namespace by unshare", .note,
            "this program may make none by itself; the warden's own trial is the one that counts",
            needs: "what helps the user namespace below"),
        feature(
            Int(ANNEX_TRIAL_PROCFS), "procfs", .files, "procfs of its own", .note,
            "policies with `proc: minimal` cannot run: something lies over parts of /proc",
            needs: "`docker run --security-opt systempaths=unconfined …`, or `umount` of what lies over /proc"),
        feature(
            Int(ANNEX_TRIAL_PROCFS_SUBSET), "procfs-subset", .files, "procfs with subset=pid", .note,
            "policies with `proc: minimal` cannot run", needs: "Linux 5.8 or newer and a /proc that nothing lies over"),
    ]
}
