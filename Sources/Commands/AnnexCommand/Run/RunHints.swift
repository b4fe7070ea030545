import AnnexLinux
import AnnexLaunch
import Glibc

/// The messages after a run that failed.
enum RunHints {
    /// The most denials that are printed.
    private static let most = 40

    /// Prints every kind of call and path that was denied.
    static func explain(_ refusals: [Denial]) {
        for refusal in refusals.prefix(most) { StandardError.print("annex: " + line(refusal)) }
        if refusals.count > most {
            StandardError.print("annex: \(refusals.count - most) kinds of refusals more are in the report")
        }
    }

    private static func line(_ refusal: Denial) -> String {
        let often = refusal.count > 1 ? " (\(refusal.count) times)" : ""
        return refusal.headline + often + (refusal.remedy.map { "; allowed by: \($0)" } ?? "")
    }

    /// Names paths that the caller passed to the program but whose modes deny it access.
    static func hintModes(read: [String], write: [String]) {
        guard geteuid() == 0 else { return }
        for (paths, wanted, word) in [(write, mode_t(0o002), "writable"), (read, 0o004, "readable")] {
            for path in paths {
                var status = stat()
                guard stat(path, &status) == 0, status.st_mode & wanted == 0 else { continue }
                let mode = String(status.st_mode & 0o7777, radix: 8)
                StandardError.print(
                    "annex: hint: as root the program is a user of its own: \(path) (mode \(mode)) must be \(word) for others"
                )
            }
        }
    }

    /// Prints the last line: what would allow the denied call, and how to see more. Prints nothing if no limit or
    /// denial explains the failure.
    static func hint(_ report: SandboxRunReport, _ refusals: [Denial], explained: Bool) {
        guard report.reason != .launchFailed, report.exitCode != 0 else { return }
        if let limit = limit(report.reason) {
            StandardError.print("annex: hint: the policy says so under `limits: { \(limit.name): … }`\(limit.option)")
        } else if let cause = LikelyCause.of(report, refusals) {
            // With one denial, `explain` has just printed the same line.
            if explained && refusals.count == 1 { return }
            let more = explained ? "" : "; see every refusal, also of paths, with --explain"
            StandardError.print("annex: hint: \(line(cause))\(more)")
        }
    }

    /// The limit's name in a policy, and the option that also sets it. Nil if the reason is not a limit.
    private static func limit(_ reason: SandboxRunReport.Reason) -> (name: String, option: String)? {
        switch reason {
        case .memoryLimit: ("memory", "; or --memory, where it was given")
        case .timeLimit: ("request", "; or --timeout, where it was given")
        case .launchLimit: ("launch", "; or --launch-limit, where it was given")
        case .processorLimit: ("processor", "")
        case .outputLimit: ("output", "")
        default: nil
        }
    }
}
