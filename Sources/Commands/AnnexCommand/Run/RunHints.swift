import AnnexLaunch
import AnnexLinux
internal import AnnexSandbox
import Glibc

/// The messages after a run that failed.
enum RunHints {
    /// The most denials that are printed.
    private static let most = 40

    /// Prints every kind of call and path that was denied.
    static func explain(_ denials: [Denial]) {
        for denial in denials.prefix(most) { StandardError.print("annex: " + line(denial)) }
        if denials.count > most {
            StandardError.print("annex: the report has \(denials.count - most) more kinds of denials")
        }
    }

    private static func line(_ denial: Denial) -> String {
        let often = denial.count > 1 ? " (\(denial.count) times)" : ""
        return denial.headline + often + (denial.remedy.map { "; allowed by: \($0)" } ?? "")
    }

    /// Prints paths that the caller passed to the program, but that the program cannot use because of their file modes.
    static func hintModes(read: [String], write: [String]) {
        guard geteuid() == 0 else { return }
        for (paths, wanted, word) in [(write, mode_t(0o002), "writable"), (read, 0o004, "readable")] {
            for path in paths {
                var status = stat()
                guard stat(path, &status) == 0, status.st_mode & wanted == 0 else { continue }
                let mode = String(status.st_mode & 0o7777, radix: 8)
                StandardError.print(
                    "annex: hint: a program that root starts runs as a user of its own: \(path) (mode \(mode)) must be \(word) for others"
                )
            }
        }
    }

    /// Prints the last line. It says how to allow the denied call, and how to see more. If no limit or denial explains
    /// the failure, this function prints nothing.
    static func hint(_ report: SandboxRunReport, denials: [Denial], explained: Bool) {
        guard report.reason != .launchFailed, report.exitCode != 0 else { return }
        if let limit = limit(report.reason) {
            StandardError.print(
                "annex: hint: the policy sets this limit under `limits: { \(limit.name): … }`\(limit.option)")
        } else if let cause = LikelyCause.of(report, denials: denials) {
            // If there is only one denial, `explain` has just printed the same line.
            if explained && denials.count == 1 { return }
            let more = explained ? "" : "; to see every denied call and path, add --explain"
            StandardError.print("annex: hint: \(line(cause))\(more)")
        }
    }

    /// The limit's name in a policy, and a text about the option that also sets the limit. Nil if the reason is not a
    /// limit.
    private static func limit(_ reason: SandboxRunReport.Reason) -> (name: String, option: String)? {
        switch reason {
        case .memoryLimit: ("memory", "; --memory, if given, sets it too")
        case .timeLimit: ("request", "; --timeout, if given, sets it too")
        case .launchLimit: ("launch", "; --launch-limit, if given, sets it too")
        case .processorLimit: ("processor", "")
        case .outputLimit: ("output", "")
        default: nil
        }
    }
}

/// Guesses which denial made a program fail.
enum LikelyCause {
    /// Signals that come from outside, or that say that output has no reader. A denial does not cause them.
    private static let foreign: Set<Int32> = [
        SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2,
    ]

    /// Calls that programs and their libraries try, but do not need.
    private static let probes: Set<String> = [
        "prctl", "prlimit64", "setrlimit", "personality", "setpriority", "ioprio_set", "sched_setscheduler",
        "sched_setparam", "sched_setattr", "mlockall", "capset", "seccomp", "sync_file_range",
    ]

    /// Sockets that read network interfaces or ask a name server. Most programs open them without needing them.
    private static let probedSockets = ["AF_NETLINK", "SOCK_DGRAM"]

    /// The most likely denial; nil if no denial explains the failure.
    static func of(_ report: SandboxRunReport, denials: [Denial]) -> Denial? {
        if let signal = report.signal, foreign.contains(signal) { return nil }
        let likely = denials.filter { $0.remedy != nil && !isProbe($0) }
        return likely.last { $0.answer == .ended } ?? likely.last(where: isOfPath) ?? likely.last
    }

    private static func isProbe(_ denial: Denial) -> Bool {
        if denial.call == "socket" { return probedSockets.contains { denial.text.contains($0) } }
        return probes.contains(denial.call)
    }

    private static func isOfPath(_ denial: Denial) -> Bool {
        if case .path = denial.subject { true } else { false }
    }
}
