import AnnexLaunch
import Glibc

/// Guesses which denial made a program fail.
enum LikelyCause {
    /// Signals that come from outside, or that say that output has no reader. No denial sends them.
    private static let foreign: Set<Int32> = [
        SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2,
    ]

    /// Calls that programs and their libraries try and can do without.
    private static let probes: Set<String> = [
        "prctl", "prlimit64", "setrlimit", "personality", "setpriority", "ioprio_set", "sched_setscheduler",
        "sched_setparam", "sched_setattr", "mlockall", "capset", "seccomp", "sync_file_range",
    ]

    /// Sockets for reading network interfaces or asking a name server. Most programs open them in passing.
    private static let probedSockets = ["AF_NETLINK", "SOCK_DGRAM"]

    /// The most likely denial; nil if no denial explains the failure.
    static func of(_ report: SandboxRunReport, _ refusals: [Denial]) -> Denial? {
        if let signal = report.signal, foreign.contains(signal) { return nil }
        let likely = refusals.filter { $0.remedy != nil && !isProbe($0) }
        return likely.last { $0.answer == .ended } ?? likely.last(where: isOfPath) ?? likely.last
    }

    private static func isProbe(_ refusal: Denial) -> Bool {
        if refusal.call == "socket" { return probedSockets.contains { refusal.text.contains($0) } }
        return probes.contains(refusal.call)
    }

    private static func isOfPath(_ refusal: Denial) -> Bool {
        if case .path = refusal.subject { true } else { false }
    }
}
