internal import AnnexLinux
internal import Glibc

/// Finds out whether `/proc` hides processes that this process is not allowed to trace (`hidepid=`). Only a process
/// with `CAP_SYS_PTRACE` may trace a sandbox's first process. For other processes, a `/proc` with this option hides
/// the first process, and with it the whole sandbox.
package enum HiddenProcesses {
    /// The mount's option, read at the first use; nil if no processes are hidden.
    package static let option: String? = option(
        mounts: TextFile.read("/proc/self/mountinfo") ?? "", groups: groups,
        mayTrace: mayTrace(status: TextFile.read("/proc/self/status") ?? ""))

    /// - Parameters:
    ///   - mounts: the text of a `mountinfo` file.
    ///   - groups: this process's groups.
    ///   - mayTrace: whether this process may trace every process.
    static func option(mounts: String, groups: Set<UInt32>, mayTrace: Bool) -> String? {
        guard !mayTrace, let options = options(in: mounts),
            let option = options.first(where: { $0.hasPrefix("hidepid=") })
        else { return nil }
        let value = option.dropFirst(8)
        if ["0", "off"].contains(value) { return nil }
        // `ptraceable` makes no exception for a group.
        if !["4", "ptraceable"].contains(value), groups.contains(group(in: options)) { return nil }
        return String(option)
    }

    /// The remedy for an option that hides processes.
    package static func remedy(_ option: String) -> String {
        ["4", "ptraceable"].contains(option.dropFirst(8))
            ? "sudo mount -o remount,hidepid=invisible,gid=GROUP /proc, with a group of this user"
            : "sudo mount -o remount,\(option),gid=GROUP /proc, with a group of this user"
    }

    /// The options of the `/proc` mount. If several file systems are mounted at this path, the uppermost is listed
    /// last.
    private static func options(in mounts: String) -> [Substring]? {
        TextFile.lines(of: mounts).reversed().lazy.compactMap { line -> [Substring]? in
            let fields = line.split(separator: " ")
            guard fields.count > 4, fields[4] == "/proc", let dash = fields.firstIndex(of: "-"),
                fields.count > dash + 3, fields[dash + 1] == "proc"
            else { return nil }
            return fields[dash + 3].split(separator: ",")
        }.first
    }

    /// The group whose members see all processes. This is root's group, unless the mount names another group.
    private static func group(in options: [Substring]) -> UInt32 {
        options.first { $0.hasPrefix("gid=") }.flatMap { UInt32($0.dropFirst(4)) } ?? 0
    }

    private static var groups: Set<UInt32> {
        var list = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
        // SAFETY: the call writes at most `$0.count` numbers.
        let count = unsafe list.withUnsafeMutableBufferPointer { unsafe getgroups(Int32($0.count), $0.baseAddress) }
        return Set(list.prefix(Int(max(0, count)))).union([getegid()])
    }

    private static let traceCapability: UInt64 = 1 << 19  // CAP_SYS_PTRACE

    static func mayTrace(status: String) -> Bool {
        let set = TextFile.field("CapEff", in: status).flatMap { UInt64($0, radix: 16) } ?? 0
        return set & traceCapability != 0
    }
}
