import AnnexLaunch
internal import AnnexSandbox

/// What a user adds to `annex run` so that a denied call or path is allowed.
enum RunRemedy {
    /// The option, ready to be pasted; nil if nothing allows the denial.
    static func of(_ denial: Denial) -> String? {
        guard case .call = denial.subject else { return denial.remedy }
        if let allowance = allowance(for: denial) { return allowance }
        guard let entry = denial.allowedBy else { return nil }
        // Some calls bypass `write-xor-execute`, so their lines need the allowance too.
        let bypass = "write-xor-execute: off, and under allow: "
        let line = entry.hasPrefix(bypass) ? String(entry.dropFirst(bypass.count)) : entry
        guard line.hasPrefix("- ") else { return denial.remedy }
        return (line == entry ? "" : "--allow jit ") + "--allow-line " + ShellText.quoted(String(line.dropFirst(2)))
    }

    private static func allowance(for denial: Denial) -> String? {
        if denial.allowedBy == "write-xor-execute: off" {
            return "--allow jit, for just-in-time compilers (node also has --jitless)"
        }
        switch denial.call {
        case "socket"
        where ["AF_INET, SOCK_STREAM", "AF_INET, SOCK_DGRAM", "AF_INET6, SOCK_STREAM", "AF_INET6, SOCK_DGRAM"]
            .contains { denial.text.contains($0) }:
            return "--allow network, or --allow loopback if its own processes talk to each other"
        case "socket" where denial.text.contains("AF_UNIX"): return "--allow sockets"
        case "mknod" where denial.text.contains(", 010"), "mknodat" where denial.text.contains(", 010"):
            return "--allow sockets, for named pipes and socket files"
        default: return nil
        }
    }
}
