import AnnexLaunch
import AnnexLinux
internal import AnnexPolicy
internal import AnnexSandbox
internal import Glibc

/// What a user adds to `annex run` so that a denied call or path is allowed.
struct RunRemedy {
    /// The remedy in one clause.
    let text: String
    let choices: [RunChoice]

    /// - Returns: nil if nothing can allow the denied call or path, and there is nothing to say about that.
    static func of(_ denial: Denial) -> RunRemedy? {
        switch denial.subject {
        case .path(let path):
            if let grant = path.grant { return RunRemedy([RunChoice(grant.name, grant.path)]) }
            switch path.remedy {
            case .processFiles(.full): return RunRemedy([RunChoice("--allow", "proc")])
            // No option of `annex run` takes an entry of `grants:`. A path that no option may hand over must not be
            // handed over by a policy file either. So such a remedy is not shown.
            case .grant, nil: return nil
            case .devices, .processFiles, .call: return denial.remedy.map(RunRemedy.init(text:))
            }
        case .call where denial.needsIdentityBits:
            // Calls that programs usually do without need no explanation.
            return denial.isQuiet ? nil : RunRemedy(clause: impossible(denial))
        case .call:
            if let choices = allowances(for: denial) { return choices.isEmpty ? nil : RunRemedy(choices) }
            return denial.allowedBy.flatMap { line(entry: $0) } ?? denial.remedy.map(RunRemedy.init(text:))
        }
    }

    private init(_ choices: [RunChoice]) {
        self.choices = choices
        // The purpose comes before the options, so the user can copy the options from the end of the line.
        let sides = choices.map { $0.purpose.isEmpty ? $0.shown : "(\($0.purpose)) \($0.shown)" }
        text = "allowed by: " + sides.joined(separator: ", or ")
    }

    private init(text: String) { self.init(clause: "allowed by: " + text) }

    private init(clause: String) {
        text = clause
        choices = []
    }

    private static func impossible(_ denial: Denial) -> String {
        let unseen = ["openat2", "io_uring_setup"].contains(denial.call)
        return "no option gives " + (unseen ? "this call, which could set " : "") + "set-user-ID or set-group-ID modes"
    }

    private static func line(entry: String) -> RunRemedy? {
        // Some calls bypass the rule that written memory is never executed (`write-xor-execute`). So their lines also
        // need the option `--allow jit`.
        let bypass = "write-xor-execute: off, and under allow: "
        let line = entry.hasPrefix(bypass) ? String(entry.dropFirst(bypass.count)) : entry
        guard line.hasPrefix("- ") else { return nil }
        let call = String(line.dropFirst(2))
        return RunRemedy([
            line == entry ? RunChoice("--allow-line", call) : RunChoice("--allow", "jit", "--allow-line", call)
        ])
    }

    /// The calls of System V, which one allowance allows together.
    static let systemV: Set = [
        "shmget", "shmat", "shmctl", "shmdt", "semget", "semop", "semctl", "semtimedop", "msgget", "msgsnd", "msgrcv",
        "msgctl",
    ]

    private static func allowances(for denial: Denial) -> [RunChoice]? {
        // The allowance `ipc` never allows SHM_LOCK. The broker answers ENOSPC only if this allowance is already
        // given. So in these two cases, the allowance is no remedy.
        let isBeyond = denial.answer == .denied(errno: ENOSPC) || denial.text.contains("SHM_LOCK")
        if systemV.contains(denial.call), !isBeyond { return [RunChoice("--allow", "ipc")] }
        if denial.allowedBy == "write-xor-execute: off" {
            return [RunChoice("--allow", "jit", purpose: "for just-in-time compilers; node also has --jitless")]
        }
        switch denial.call {
        case "socket"
        where ["AF_INET, SOCK_STREAM", "AF_INET, SOCK_DGRAM", "AF_INET6, SOCK_STREAM", "AF_INET6, SOCK_DGRAM"]
            .contains { denial.text.contains($0) }:
            return [
                RunChoice("--allow", "network"),
                RunChoice("--allow", "loopback", purpose: "if its own processes talk to each other"),
            ]
        case "socket" where denial.text.contains("AF_UNIX"): return [RunChoice("--allow", "sockets")]
        case "mknod" where denial.text.contains(", 010"), "mknodat" where denial.text.contains(", 010"):
            return [RunChoice("--allow", "sockets", purpose: "for named pipes and socket files")]
        // If the allowance `debug` is given, the broker denies a tracer that is not the parent. No option allows such
        // a tracer.
        case "ptrace", "process_vm_readv", "process_vm_writev":
            return denial.policyLine?.contains("allowances/debug.yaml") == true
                ? [] : [RunChoice("--allow", "debug", purpose: "for debuggers")]
        default: return nil
        }
    }
}
