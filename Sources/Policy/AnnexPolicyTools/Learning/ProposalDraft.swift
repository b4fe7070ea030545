internal import AnnexLinux
internal import AnnexPolicy

/// Writes a proposal as a policy page.
struct ProposalDraft: Sendable {
    let recording: Recording
    let calls: ProposedCalls
    let paths: ProposedPaths
    let hosts: [HostRule]
    let program: String
    let name: String

    func page(writeXorExecute: Bool, withheld: [String]) throws(PolicyError) -> PolicyPage {
        let included = try include()
        let shown = Escaped(program, limit: 200).description
        var page = PolicyPage(name: name, summary: "The calls and files that one run of \(shown) needed.")
        page.comments = [
            "Proposed from one run of \(shown). It allows only what that run did:",
            "read it, write your own reasons for the groups, and write expectations in a file beside it.",
        ]
        if recording.dropped > 0 {
            page.comments.append("The recording was full: \(recording.dropped) events are missing here.")
        }
        if !withheld.isEmpty { page.comments += ["Recorded, but not allowed:"] + withheld.map { "  " + $0 } }
        page.includes = [included.name]
        page.groups = groups(beyond: included)
        page.sections = sections(included, writeXorExecute: writeXorExecute)
        return page
    }

    /// The policy to include. It is `tool` if the program starts other programs and `tool` makes the page shorter.
    /// Otherwise it is `base`.
    private func include() throws(PolicyError) -> Policy {
        let base = try Policy.shipped(named: "base", for: recording.architecture)
        guard calls.rules["execve"] != nil, calls.rules["clone"] != nil || calls.rules["vfork"] != nil else {
            return base
        }
        let tool = try Policy.shipped(named: "tool", for: recording.architecture)
        return cost(over: tool) < cost(over: base) ? tool : base
    }

    /// The cost of including a policy. It is the number of rules that must still be written, plus a quarter of the
    /// number of calls that the policy allows needlessly.
    private func cost(over policy: Policy) -> Int {
        let excess = Set(policy.allowedCalls).subtracting(calls.rules.keys).count
        return calls.rules.values.filter { !covers(policy, rule: $0) }.count + excess / 4
    }

    /// Whether the included policy already allows every recorded call of this rule.
    private func covers(_ policy: Policy, rule: CallRule) -> Bool {
        guard let call = SystemCall(named: rule.call, architecture: recording.architecture) else { return true }
        if rule.conditions.isEmpty {
            return policy.rules[call.number]?.contains { $0.answer == .allow && $0.conditions.isEmpty } ?? false
        }
        let seen = recording.calls.keys.filter { $0.number == call.number }
        // If the included policy compares an argument that is not in the recording, the call may fail under that
        // policy.
        let compared = Set((policy.rules[call.number] ?? []).flatMap { $0.conditions.map(\.index) })
        guard compared.isSubset(of: rule.conditions.map(\.index)), !seen.isEmpty else { return false }
        return seen.allSatisfy { policy.answer(number: call.number, arguments: $0.registers) == .allow }
    }

    private func groups(beyond included: Policy) -> [PolicyPage.Group] {
        let own = calls.rules.values.filter { !covers(included, rule: $0) }.sorted { $0.call < $1.call }
        var topics: [String: [CallRule]] = [:]
        for rule in own.flatMap(\.bounded) {
            topics[rule.bound.map(CallTopic.of) ?? CallTopic.of(rule.call), default: []].append(rule)
        }
        var groups = topics.sorted { $0.key < $1.key }.map { topic, rules in
            PolicyPage.Group(
                answer: .allow, reason: topic, entries: rules.flatMap { $0.entries(for: recording.architecture) },
                bound: rules.first?.bound)
        }
        if !calls.fallbacks.isEmpty {
            groups.append(
                PolicyPage.Group(
                    answer: .deny(errno: 38, reported: false),
                    reason: "Newer calls whose flags no filter can see; C libraries fall back on older calls.",
                    entries: calls.fallbacks.sorted()))
        }
        return groups
    }
}

extension ProposalDraft {
    private func sections(_ included: Policy, writeXorExecute: Bool) -> [String] {
        var sections: [String] = []
        sections.append(written(included))
        let devices = PolicyDevice.allCases.filter { paths.devices.contains($0) }.map(\.rawValue)
        if devices != included.devices.map(\.rawValue) {
            sections.append("devices: [\(devices.joined(separator: ", "))]")
        }
        if recording.network != included.network || calls.rules["socket"] != nil {
            sections.append("\(Self.comment(on: recording.network))\nnetwork: \(network)")
        }
        if !writeXorExecute {
            sections.append("# The program made memory executable that it had written.\nwrite-xor-execute: off")
        }
        // The recorded run had the environment of `tool`, so the proposal states the same environment.
        if var environment = try? Policy.shipped(named: "tool", for: recording.architecture).environment {
            // These variables name the private directory. If the sandbox has no private directory, they name a
            // directory that does not exist. They are set nevertheless, because a program that finds them set does not
            // look up its user.
            if !paths.wantsScratch { environment.fixed.merge(["HOME": "/tmp", "TMPDIR": "/tmp"]) { $1 } }
            sections.append(environment.written)
        }
        let makesProcesses = ["clone", "fork", "vfork"].contains { calls.rules[$0] != nil }
        sections.append(
            """
            # The run measured none of these limits: choose them for the program.
            limits:
              memory: 1G
              launch: 10s
              request: 600s
              processor: 600s
              processes: \(makesProcesses ? 64 : 1)
              descriptors: 256
              file: 256M
              output: 64M
            """)
        return sections
    }

    private var network: String {
        guard recording.network == .hosts else { return recording.network.rawValue }
        return "{ hosts: [" + hosts.map { PathText.quoted($0.description) }.joined(separator: ", ") + "] }"
    }

    private func written(_ included: Policy) -> String {
        var lines = ["paths:"]
        if paths.wantsScratch {
            lines.append("  private: { scratch: { size: 256M, inodes: 4096, at: /tmp } }")
        } else if !included.paths.privateDirectories.isEmpty {
            lines.append("  private: none")
        }
        lines.append("  proc: \(paths.wantsProcessFiles ? "minimal" : "none")")
        var byRights: [PathRights.RawValue: [String]] = [:]
        for (path, rights) in paths.grants where !isGranted(path, rights: rights, by: included) {
            byRights[rights.rawValue, default: []].append(path)
        }
        if byRights.isEmpty { return lines.joined(separator: "\n") }
        lines.append("  grants:")
        for (raw, paths) in byRights.sorted(by: { $0.key < $1.key }) {
            let rights = PathRights(rawValue: raw)
            lines.append("    - reason: \(Self.reason(rights))")
            lines.append("      rights: \(rights)")
            lines.append("      paths:")
            lines += paths.sorted().map { "        - \(PathText.quoted($0))" }
        }
        return lines.joined(separator: "\n")
    }

    private func isGranted(_ path: String, rights: PathRights, by included: Policy) -> Bool {
        let nearest = included.paths.grants.last { PathText.isPath(path, within: $0.path) }
        return nearest.map { rights.isSubset(of: $0.rights) } ?? false
    }

    private static func comment(on network: PolicyNetwork) -> String {
        switch network {
        case .none: "# The program made sockets, and named no address of a network."
        case .hosts:
            "# The program connected to these machines, over TCP. Their names were looked up again after the run."
        case .loopback: "# The program named only loopback addresses: its own processes can reach each other."
        default:
            "# The program named addresses of other machines, or of this one. It can reach all that this machine reaches."
        }
    }

    private static func reason(_ rights: PathRights) -> String {
        if rights.contains(.write) { return "Files that it changes or creates." }
        return rights.contains(.execute) ? "Programs that it runs, and files that they load." : "Files that it reads."
    }
}

extension CallRule {
    /// This rule, or two rules in its place if the broker can count some of the calls that the rule allows. The first
    /// of the two rules allows the remaining calls. The second rule allows the counted calls within the bound.
    var bounded: [CallRule] {
        if bound != nil || answer != .allow { return [self] }
        let choice = conditions.first { $0.index == 1 }
        // `flock` without a condition can be split, because one bit identifies the counted operations. For `fcntl`, no
        // condition can express all commands except the counted commands.
        let alternatives = choice?.alternatives ?? (call == "flock" ? [.masked(mask: 0, value: 0)] : [])
        guard !alternatives.isEmpty, let parts = CallBound.locks.parted(call, alternatives: alternatives) else {
            return [self]
        }
        let others = conditions.filter { $0.index != 1 }
        let rest = call == "flock" ? parts.rest.filter { $0 != Self.nothing } : parts.rest
        return [(rest, nil), (parts.counted, CallBound.locks)].compactMap {
            alternatives, bound in
            if alternatives.isEmpty { return nil }
            let conditions = others + [CallCondition(index: 1, alternatives: alternatives)]
            return with(conditions.sorted { $0.index < $1.index }, bound: bound)
        }
    }

    /// The operation 0 of `flock`, which has no flag. If a rule allows only the flag `LOCK_EX`, only operation 0
    /// remains after the split. The kernel has no such operation, so it needs no rule.
    private static let nothing = Comparison.masked(mask: 0xFFFF_FFFF, value: 0)

    private func with(_ conditions: [CallCondition], bound: CallBound?) -> CallRule {
        CallRule(call: call, conditions: conditions, answer: answer, reason: reason, place: place, bound: bound)
    }
}
