import AnnexLaunch
import AnnexPolicy
internal import AnnexSandbox
import Glibc

/// Notes about processes that ended otherwise than outside, although the program itself ended by itself.
enum EndNotes {
    /// - Parameter wasAsked: whether a signal asked the program to end. Then the user wants all processes to end.
    static func lines(_ report: SandboxRunReport, policy: Policy, wasAsked: Bool) -> [String] {
        guard report.reason == .exited else { return [] }
        let left = wasAsked ? nil : others(report)
        return [processor(report, limit: policy.limits.processor), left].compactMap { $0 }
    }

    /// The kernel ends each process at the limit of processor time. The program may go on without such a child.
    private static func processor(_ report: SandboxRunReport, limit: Duration) -> String? {
        guard !PolicyLimits.isNone(limit) else { return nil }
        let used = (report.userSeconds ?? 0) + (report.systemSeconds ?? 0)
        let bound = Double(max(1, limit.components.seconds))
        // The kernel counts the limit by ticks, and the used time exactly. So a process may end earlier.
        guard used >= bound * 0.75 else { return nil }
        let text = LimitValue.time(limit).text
        let more = LimitValue.time(limit * 4).text
        return "a process may have been ended because it used \(text) of processor time: add --limit processor=\(more)"
    }

    /// The most ports that the note names.
    private static let mostPorts = 3

    /// The note about a server in a network of the program's own, to which nothing outside could connect.
    static func ports(_ ports: [UInt16]) -> [String] {
        guard let first = ports.first else { return [] }
        let named = ports.prefix(mostPorts).map { "\($0)" }.joined(separator: ", ")
        let options = ports.prefix(mostPorts).map { "--publish \($0)" }.joined(separator: " ")
        let list = ports.count == 1 ? "port \(first)" : "ports \(named)"
        return [
            "the program listened at \(list) of a network of its own: to let this machine connect to it, add \(options)"
        ]
    }

    /// The note for root about files that could not be given to another user. Most programs go on without it.
    static func owners(_ denials: [Denial]) -> [String] {
        let foreign = denials.filter { denial in
            guard case .call(let use) = denial.subject, denial.answer == .denied(errno: EPERM),
                let place = userPlaces[denial.call]
            else { return false }
            return UInt32(truncatingIfNeeded: use[place]) == OwnNumbers.hidden.user
        }
        let count = foreign.map(\.count).reduce(0, +)
        guard geteuid() == 0, count > 0 else { return [] }
        let files = count == 1 ? "a file" : "files (\(count) times)"
        return [
            "the program could not give \(files) to another user: what it copied, extracted or replaced belongs to root "
                + "now; to keep the owner, run annex as that user"
        ]
    }

    /// Where these calls take the new owner.
    private static let userPlaces = ["chown": 1, "lchown": 1, "fchown": 1, "fchownat": 2]

    private static func others(_ report: SandboxRunReport) -> String? {
        guard report.leftProcesses else { return nil }
        return "processes that the program left running ended with it: let the program wait for them"
    }
}
