import AnnexLaunch
import AnnexLinux
internal import AnnexPolicy
internal import AnnexSandbox

/// What a user adds to `annex run` so that a denied call or path is allowed.
struct RunRemedy {
    /// The remedy in one clause.
    let text: String
    let choices: [RunChoice]

    /// - Parameter allowances: the allowances that the program does not have.
    /// - Returns: nil if nothing can allow the denied call or path, and there is nothing to say about that.
    init?(_ denial: Denial, beside allowances: Allowances) {
        if case .path(let path) = denial.subject, let grant = path.grant {
            self.init([RunChoice(grant.name, grant.path)])
            return
        }
        guard let remedy = denial.remedy else { return nil }
        switch remedy {
        // No option of `annex run` takes an entry of `grants:`. A path that no option may hand over must not be
        // handed over by a policy file either. So such a remedy is not shown.
        case .grant: return nil
        case .identityBits(let isSeen):
            // Calls that programs usually do without need no explanation.
            if denial.isQuiet { return nil }
            let unseen = isSeen ? "" : "this call, which could set "
            self.init(clause: "no option gives \(unseen)set-user-ID or set-group-ID modes")
        case .entry, .writeXorExecuteOff, .devices, .processFiles, .entitlement:
            let choices = Self.choices(for: denial, among: allowances) ?? Self.choices(for: remedy, among: allowances)
            if choices.isEmpty, let text = denial.remedyText {
                self.init(clause: "allowed by: " + text)
            } else {
                self.init(choices)
            }
        }
    }

    /// The allowances that are for a denied call; nil if there are none.
    private static func choices(for denial: Denial, among allowances: Allowances) -> [RunChoice]? {
        guard case .call(let use) = denial.subject else { return nil }
        let all = allowances.allowing(use)
        return all.isEmpty ? nil : all.map { RunChoice(allowing: $0) }
    }

    private static func choices(for remedy: Remedy, among allowances: Allowances) -> [RunChoice] {
        guard case .entry(let entry) = remedy else { return allowances.giving(remedy).map { RunChoice(allowing: $0) } }
        let line = ["--allow-line", entry.line]
        guard entry.breaksWriteXorExecute else { return [RunChoice(line)] }
        return allowances.giving(.writeXorExecuteOff).map { RunChoice(RunChoice(allowing: $0).options + line) }
    }

    private init(_ choices: [RunChoice]) {
        self.choices = choices
        // The purpose comes before the options, so that the options stand together and can be copied.
        let sides = choices.map { $0.purpose.isEmpty ? $0.shown : "(\($0.purpose)) \($0.shown)" }
        text = "allowed by: " + sides.joined(separator: ", or ")
    }

    private init(clause: String) {
        text = clause
        choices = []
    }
}

extension RunChoice {
    init(allowing fragment: PolicyFragment) {
        self.init("--allow", fragment.identifier, purpose: fragment.hint ?? "")
    }
}
