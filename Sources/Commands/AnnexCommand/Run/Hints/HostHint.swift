import AnnexLaunch
import AnnexPolicy

/// The hint about the machines that a program with named hosts asked for in vain.
struct HostHint {
    let denials: [Denial]

    /// The most machines that a hint names.
    private static let most = 5

    private var hosts: [(host: DeniedHost, reason: String?)] {
        denials.compactMap { denial in
            if case .host(let host) = denial.subject { (host, denial.reason) } else { nil }
        }
    }

    /// Nil if the program asked for no such machine.
    var hint: RunHint? {
        let hosts = hosts
        guard let last = hosts.last else { return nil }
        // A name that was resolved and a connection to it are one machine.
        let rules = hosts.compactMap(\.host.rule)
        let needed = rules.filter { rule in
            rule.port != nil || !rules.contains { $0.target == rule.target && $0.port != nil }
        }
        guard !needed.isEmpty else {
            return RunHint(line: "\(last.host.place) is refused: \(last.reason ?? "no option allows it")")
        }
        let choice = RunChoice(needed.prefix(Self.most).flatMap { ["--allow-host", $0.description] })
        let names = needed.prefix(Self.most).map(\.words).joined(separator: ", ")
        let more = needed.count > Self.most ? " and \(needed.count - Self.most) more" : ""
        return RunHint(
            line: "the program may not connect to \(names)\(more)" + Self.remark(last) + ": add " + choice.shown,
            choices: [choice])
    }

    /// What a user should know before the option is added.
    private static func remark(_ one: (host: DeniedHost, reason: String?)) -> String {
        guard case .address? = one.host.rule?.target, let reason = one.reason else { return "" }
        return " (\(reason))"
    }
}
