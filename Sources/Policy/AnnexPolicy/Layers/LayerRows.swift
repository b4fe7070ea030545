extension Policy {
    /// The table of the layers that can enforce each statement of this policy. It also has the reasons why other layers
    /// cannot enforce the statement.
    public func layerTable() -> LayerTable {
        let rows = LayerRows(policy: self)
        return LayerTable(
            policy: name,
            rows: rows.callRows + rows.grantRows + rows.fileRows + rows.networkRows + rows.processRows
                + rows.privilegeRows + rows.limitRows)
    }
}

/// The rows of the table of layers for one policy.
struct LayerRows {
    let policy: Policy

    /// The rows about calls and their arguments. No layer except seccomp sees calls.
    fileprivate var callRows: [LayerTable.Row] {
        let stated = policy.rules.values.compactMap { $0.first { $0.answer == .allow } }.sorted { $0.call < $1.call }
        let unseen: LayerPart =
            policy.architecture == .x86
            ? .partly("from Linux 6.14 the kernel runs no filter for uretprobe and uprobe, which end the caller")
            : .whole
        let rows = stated.map { LayerTable.Row(.call($0.call), at: $0.place, parts: [.seccomp: .whole]) }
        return rows
            + [
                LayerTable.Row(.otherCalls, at: policy.unlisted.place, parts: [.seccomp: unseen]),
                writeXorExecuteRow,
            ].compactMap { $0 }
    }

    private var writeXorExecuteRow: LayerTable.Row? {
        guard policy.writeXorExecute else { return nil }
        return LayerTable.Row(
            .writeXorExecute, at: policy.places[.writeXorExecute],
            parts: [
                .seccomp: startsPrograms
                    ? .partly("not the mappings that a started program requests in its ELF header: execve makes them")
                    : .whole,
                .mount: .partly("only that files which can be written cannot be mapped executable"),
                .landlock: .none("Landlock does not check the right to execute for mappings"),
            ])
    }

    /// Whether the policy lets the extension execute other programs. Annex checks the ELF header of the executable that
    /// the launch starts, but not the ELF headers of such other programs.
    private var startsPrograms: Bool {
        ["execve", "execveat"].contains { name in
            SystemCall(named: name, architecture: policy.architecture)
                .map { policy.rules[$0.number]?.contains { $0.answer == .allow } ?? false } ?? false
        }
    }

    fileprivate var networkRows: [LayerTable.Row] {
        guard policy.network != .host else { return [] }
        if policy.network == .client { return clientRows }
        let sockets = seccompPart(.networking, sees: "seccomp cannot read addresses")
        return [
            LayerTable.Row(
                .network, at: policy.places[.network],
                parts: [
                    .network: .whole, .seccomp: sockets,
                    .landlock: .partly("from ABI 4, TCP only; not UDP, raw, netlink or packet sockets"),
                ]),
            LayerTable.Row(
                .abstractSockets, at: policy.places[.network],
                parts: [
                    .network: .whole, .landlock: .partly("from ABI 6"),
                    .seccomp: seccompPart(.sockets, sees: "seccomp cannot read addresses"),
                ]),
        ]
    }

    /// The rows of a process that uses the host's network as a client.
    private var clientRows: [LayerTable.Row] {
        let unix = (1...5 as ClosedRange<UInt64>).flatMap { kind in
            ["socket", "socketpair"].map { (name: $0, arguments: [1, kind, 0, 0, 0, 0] as [UInt64]) }
        }
        return [
            LayerTable.Row(
                .network, at: policy.places[.network],
                parts: [
                    .seccomp: .whole,
                    .landlock: .partly("from ABI 4, TCP only: the broker makes every connection"),
                ]),
            LayerTable.Row(
                .abstractSockets, at: policy.places[.network],
                parts: [
                    .landlock: .partly("from ABI 6"),
                    .seccomp: denies(unix) ? .whole : .none("the policy allows Unix sockets"),
                ]),
        ]
    }

    /// The rows about other processes of the machine.
    fileprivate var processRows: [LayerTable.Row] {
        [
            LayerTable.Row(
                .signals,
                parts: [
                    .pid: .whole, .landlock: .partly("from ABI 6"),
                    .user: .partly("not processes of the same user on the host"),
                    .seccomp: seccompPart(.signals, sees: "seccomp cannot see which process a number means"),
                ]),
            LayerTable.Row(
                .otherProcesses,
                parts: [
                    .pid: .whole, .landlock: .partly("no tracing; listing and /proc are not held"),
                    .user: .partly("tracing; not listing"),
                    .root: .partly("the host's /proc; not process numbers"),
                    .seccomp: seccompPart(.otherMemory, sees: "seccomp cannot see which process a number means"),
                ]),
            LayerTable.Row(
                .interprocess,
                parts: [
                    .ipc: .whole,
                    .seccomp: seccompPart(.interprocess, sees: "seccomp cannot distinguish keys and names"),
                    .user: .none("the kernel checks their rights by user and group"),
                ]),
            LayerTable.Row(
                .machineStart, parts: [.time: startPart, .seccomp: .none("clocks are read without a call")]),
            LayerTable.Row(
                .sessionKeys,
                parts: [
                    .keyring: .whole, .user: .none("the session's keyring is inherited"),
                    .seccomp: seccompPart(.keyring, sees: "seccomp cannot see which key a serial number means"),
                ]),
            LayerTable.Row(
                .userKeys,
                parts: [
                    .user: .whole, .keyring: .none("a new session still finds its user's keys"),
                    .seccomp: seccompPart(.keyring, sees: "seccomp cannot see which key a serial number means"),
                ]),
        ]
    }

    /// How far a time namespace hides the machine's start. Some values count from the machine's start in every time
    /// namespace.
    private var startPart: LayerPart {
        var telling = policy.allowedCalls.contains("times") ? ["times"] : []
        if policy.paths.processFiles != .none { telling.append("/proc/self/sched") }
        return telling.isEmpty
            ? .whole : .partly("\(telling.joined(separator: " and ")) still count from the machine's start")
    }

    /// The rows about changes to the machine or to the process's own privileges.
    fileprivate var privilegeRows: [LayerTable.Row] {
        let mountCalls = seccompPart(.mounts, sees: "seccomp cannot read paths")
        return [
            LayerTable.Row(
                .hostname,
                parts: [
                    .uts: .whole, .capabilities: .whole, .user: .whole,
                    .seccomp: seccompPart(.hostname, sees: "the name lies in memory, which seccomp cannot read"),
                ]),
            LayerTable.Row(
                .controlGroups,
                parts: [
                    .root: .whole, .landlock: .partly("opening; not whether a file exists"),
                    .cgroup: .partly("names; not what a mount would show"),
                    .seccomp: seccompPart(.contents, sees: "seccomp cannot read paths"),
                ]),
            LayerTable.Row(
                .mounts, parts: [.capabilities: .whole, .seccomp: mountCalls, .mount: .partly("the host's own mounts")]),
            LayerTable.Row(
                .namespaces,
                parts: [
                    .seccomp: namespacePart,
                    .capabilities: .partly("all but a user namespace, which needs no capability"),
                ]),
            LayerTable.Row(
                .capabilities,
                parts: [.capabilities: .whole, .user: .partly("over the host; not within its own namespaces")]),
            LayerTable.Row(
                .setUserID,
                parts: [
                    .noNewPrivileges: .whole, .mount: .whole,
                    .user: .partly("mapped users only; other users appear as nobody"),
                    .capabilities: .partly("capabilities, by the bounding set; not another user"),
                    .seccomp: seccompPart(.starting, sees: "seccomp cannot see the file"),
                ]),
        ]
    }

    private var namespacePart: LayerPart {
        // The CLONE_NEW… flags. The first flag makes a time namespace. This flag lies in the bits that clone uses for
        // its exit signal, so only unshare and clone3 can make a time namespace.
        let flags: [UInt64] = [
            0x80, 0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000,
        ]
        let denied = flags.allSatisfy { flag in
            denies([
                ("unshare", [flag, 0, 0, 0, 0, 0]), ("clone", [(flag == 0x80 ? 0x2_0000 : flag) | 17, 0, 0, 0, 0, 0]),
                ("clone3", [0, 88, 0, 0, 0, 0]), ("setns", [3, flag, 0, 0, 0, 0]), ("setns", [3, 0, 0, 0, 0, 0]),
            ])
        }
        return denied ? .whole : .none("the policy allows a call that makes or enters a namespace")
    }

    /// The rows about limits and the environment. No layer enforces these statements.
    fileprivate var limitRows: [LayerTable.Row] {
        LimitName.allCases.map { name in
            LayerTable.Row(.limit(name.rawValue), at: policy.places[.limit(name)], elsewhere: name.keeper, parts: [:])
        } + [
            LayerTable.Row(
                .environment, at: policy.places[.environment], elsewhere: "the environment that the launch passes",
                parts: [:])
        ]
    }
}

extension LimitName {
    /// The mechanism that enforces the limit.
    fileprivate var keeper: String {
        switch self {
        case .memory: "control group, else RLIMIT_DATA and a watch"
        case .processes: "control group and RLIMIT_NPROC"
        case .descriptors: "RLIMIT_NOFILE"
        case .file: "RLIMIT_FSIZE"
        case .processor: "RLIMIT_CPU"
        case .launch, .request, .watchdog, .grace, .output, .messages, .inFlight, .openCalls, .denials, .instances:
            "the broker"
        case .keepAlive: "the host"
        }
    }
}
