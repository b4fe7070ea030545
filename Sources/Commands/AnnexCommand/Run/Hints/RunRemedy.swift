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
            let named = Self.allowances(for: path.path, rights: path.missing, among: allowances)
            let choice = RunChoice((path.isOfHome ? ["--env", "HOME"] : []) + [grant.name, grant.path])
            self.init(named.isEmpty ? [choice] : named)
            return
        }
        if case .host(let host) = denial.subject {
            guard let rule = host.rule else { return nil }
            self.init([RunChoice("--allow-host", "\(rule)")])
            return
        }
        if case .call(let use) = denial.subject, NeverAllowed.covers(use) {
            self.init(clause: NeverAllowed.clause)
            return
        }
        if case .call(let use) = denial.subject, let clause = NeedsCapability.clause(use) {
            self.init(clause: clause)
            return
        }
        // With such a line, the kernel would refuse the call in place of the filter, because the sandbox has no other
        // user.
        if ["chown", "fchown", "lchown", "fchownat"].contains(denial.call) {
            self.init(clause: "no option gives a file to another user or group")
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
            self.init(
                clause:
                    "no option gives \(unseen)set-user-ID or set-group-ID modes, because other users could use such a "
                    + "file or directory with its owner's rights")
        case .entry, .writeXorExecuteOff, .devices, .processFiles, .entitlement, .host:
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
        // By itself, this allowance leads to no machine.
        let all = allowances.allowing(use).filter { $0.identifier != "hosts" }
        return all.isEmpty ? nil : all.map { RunChoice(allowing: $0) }
    }

    static func choices(for remedy: Remedy, among allowances: Allowances) -> [RunChoice] {
        guard case .entry(let entry) = remedy else { return allowances.giving(remedy).map { RunChoice(allowing: $0) } }
        let line = ["--allow-line", entry.line]
        guard entry.breaksWriteXorExecute else { return [RunChoice(line)] }
        return allowances.giving(.writeXorExecuteOff).map { RunChoice(RunChoice(allowing: $0).options + line) }
    }

    /// The allowances that hand over a file or socket of the caller, such as the socket of the agent for keys.
    static func allowances(for path: String, rights: PathRights, among allowances: Allowances) -> [RunChoice] {
        let fragments = allowances.handingOver(rights) { grant in
            guard case .path(let place) = grant.destination(variable: UserEnvironment.variable) else { return false }
            return PathText.isSame(place, as: path)
                || GivenPaths.resolved(place).map { PathText.isSame($0, as: path) } == true
        }
        return fragments.prefix(1).map { RunChoice("--allow", $0.identifier) }
    }

    private init(_ choices: [RunChoice]) {
        self.choices = choices
        // The purpose comes before the options, so that the options stand together and can be copied.
        text = "allowed by: " + choices.map(\.stated).joined(separator: ", or ")
    }

    private init(clause: String) {
        text = clause
        choices = []
    }
}

/// Calls that no option of `annex run` allows: they make namespaces and mounts. With some of them, a program could undo
/// the sandbox's own mounts. The others lead to nothing, because the rest of the sandbox refuses what the new namespace
/// is for.
enum NeverAllowed {
    static let clause = "no option gives namespaces or mounts"

    private static let names = [
        "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "open_tree", "open_tree_attr", "move_mount",
        "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "open_by_handle_at",
    ]
    /// The flags of clone(2) that make namespaces.
    private static let flags: [UInt64] = [
        0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000,
    ]
    /// What programs add to these flags: nothing, the signal at the end, and the flags of fork, vfork and threads.
    private static let others: [UInt64] = [0, 0x11, 0x111, 0x4111, 0x120_0011, 0x3D_0F00]

    static func covers(_ use: CallUse) -> Bool {
        guard let name = use.call?.name, let first = use.arguments.first else { return false }
        return name == "clone" ? flags.contains { first & $0 != 0 } : names.contains(name)
    }

    /// The first of these calls that a fragment allows; nil if it allows none.
    static func call(allowedBy fragment: PolicyFragment) -> String? {
        if let name = fragment.allowedCalls.first(where: names.contains) { return name }
        guard let clone = SystemCall(named: "clone") else { return nil }
        let makes = (1..<1 << flags.count).contains { choice in
            let chosen = flags.indices.filter { choice & 1 << $0 != 0 }.reduce(0 as UInt64) { $0 | flags[$1] }
            return others.contains { other in
                fragment.allows(CallUse(number: clone.number, arguments: [chosen | other, 0, 0, 0, 0, 0]))
            }
        }
        return makes ? "clone" : nil
    }
}

extension RunChoice {
    init(allowing fragment: PolicyFragment) {
        self.init("--allow", fragment.identifier, purpose: fragment.hint ?? "")
    }
}
