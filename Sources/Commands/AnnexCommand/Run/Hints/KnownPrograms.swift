import AnnexPolicy
internal import AnnexSandbox

/// Large programs that need several allowances (options `--allow`). The first error of such a program is about only one
/// of these allowances. If the program gets only this allowance, it then waits for ever, or fails without naming a
/// cause.
struct KnownPrograms {
    let errors: StatedErrors
    let policy: Policy

    /// The hint for the program that printed one of the texts. Nil if no text is known, or if the policy already allows
    /// all that the program needs.
    var hint: RunHint? {
        guard let program = Self.all.first(where: { $0.texts.contains { errors.mention($0) } }) else { return nil }
        let missing = program.allowances.filter(isMissing)
        guard !missing.isEmpty else { return nil }
        let choice = RunChoice(missing.flatMap { ["--allow", $0] })
        return RunHint(
            line: "this looks like \(program.name), which needs more than the policy allows: add \(choice.shown)",
            choices: [choice])
    }

    private struct Program {
        let name: String
        /// Texts in lower case. The program has printed each of them in a sandbox.
        let texts: [String]
        let allowances: [String]
    }

    private static let all = [
        // LibreOffice looks for a file of the kernel to see whether there is a `/proc`. For code that it makes, it looks
        // for a directory of its own (`.execooo` and six characters).
        Program(
            name: "LibreOffice", texts: ["/proc not mounted", "/.execooo"], allowances: ["proc", "sockets", "jit"]),
        // The start script of Chromium asks which processor this is. Chromium's crash handler then prints an error
        // about `ptrace`, which hides the cause of the crash.
        Program(
            name: "Chromium",
            texts: [
                "crbug.com/1123353", "process_singleton_posix.cc", "zygote_host_impl_linux.cc", "v8_oom.cc",
            ],
            allowances: ["proc", "sockets", "jit"]),
    ]

    private func isMissing(_ allowance: String) -> Bool {
        switch allowance {
        case "proc": policy.isHiddenProcessFile("/proc/version")
        case "sockets": !policy.allowsUnixSockets
        default: policy.writeXorExecute
        }
    }
}
