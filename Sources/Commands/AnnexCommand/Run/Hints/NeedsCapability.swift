import AnnexPolicy

/// Calls that the kernel itself refuses in a sandbox, because they need a capability of the machine. So a line for such a
/// call would not help.
enum NeedsCapability {
    private static let names: Set<String> = [
        "acct", "adjtimex", "clock_adjtime", "clock_settime", "delete_module", "finit_module", "init_module", "ioperm",
        "iopl", "kexec_file_load", "kexec_load", "quotactl", "quotactl_fd", "reboot", "setdomainname", "sethostname",
        "settimeofday", "swapoff", "swapon", "syslog", "vhangup",
    ]

    /// Why no option allows the call; nil if an option may.
    static func clause(_ use: CallUse) -> String? {
        guard let name = use.call?.name else { return nil }
        if names.contains(name) { return "no option gives capabilities, which this call needs" }
        if identities.contains(name) || name == "prctl" && use.arguments.first.map(privileges.contains) == true {
            return "no option gives privileges or another user"
        }
        let mode = ["mknod": 1, "mknodat": 2][name].map { use.arguments[$0] & kinds }
        return mode.map(devices.contains) == true ? "no option gives devices of the program's own" : nil
    }

    /// Calls that set another user or group. The sandbox has no other.
    private static let identities: Set<String> = [
        "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setfsuid", "setfsgid", "setgroups",
    ]
    /// PR_SET_KEEPCAPS, PR_CAPBSET_DROP and PR_CAP_AMBIENT, which keep or pass on capabilities.
    private static let privileges: [UInt64] = [8, 24, 47]

    private static let kinds: UInt64 = 0o170000
    /// The kinds of devices: those of characters, and those of blocks.
    private static let devices: [UInt64] = [0o020000, 0o060000]
}
