internal import AnnexPolicy

/// Rules with the same answer and reason that follow each other in a policy's text.
struct CallRuleGroup {
    let answer: CallAnswer
    let bound: CallBound?
    let reason: String
    let place: PolicyPlace
    /// Each call by its name, with its conditions in words.
    var calls: [String]
}

extension Policy {
    func explainWhole() -> Explanation {
        var lines = [ReportLine("\(name): \(summary)", tone: .heading)]
        lines += section("Calls that are allowed", groups: groups { $0 == .allow })
        lines += section("Calls that fail quietly", groups: groups { if case .deny = $0 { true } else { false } })
        lines += section("Calls that end the process", groups: groups { $0 == .end || $0 == .aborting })
        lines.append(ReportLine("Every other call", tone: .heading))
        lines.append(ReportLine(CallAnswer.deny(errno: unlisted.known, reported: true).words, indent: 1))
        let unknown = CallAnswer.deny(errno: unlisted.unknown, reported: true).words
        lines.append(ReportLine("call numbers that no known kernel has: \(unknown)", indent: 1))
        for part in facts {
            lines.append(ReportLine(part.title, tone: .heading))
            lines += part.items.map { ReportLine($0, indent: 1) }
        }
        return Explanation(
            isAllowed: nil, lines: lines,
            json: .object([
                .init("policy", value: .text(name)), .init("summary", value: .text(summary)),
                .init("architecture", value: .text(architecture.rawValue)),
                .init("allowedCalls", value: .texts(allowedCalls)),
                .init("facts", value: .object(facts.map { .init($0.title, value: .texts($0.items)) })),
            ]))
    }

    /// The rules whose answer `belongs` accepts, as groups in the order of the policy's text.
    func groups(_ belongs: (CallAnswer) -> Bool) -> [CallRuleGroup] {
        let all = rules.values.joined().filter { belongs($0.answer) }.sorted { $0.place.comesBefore($1.place) }
        var groups: [CallRuleGroup] = []
        for rule in all {
            let said = rule.conditions.isEmpty ? rule.call : "\(rule.call) \(rule.words(for: architecture))"
            if let last = groups.indices.last, groups[last].reason == rule.reason, groups[last].answer == rule.answer,
                groups[last].bound == rule.bound, groups[last].place.file == rule.place.file
            {
                groups[last].calls.append(said)
            } else {
                groups.append(
                    CallRuleGroup(
                        answer: rule.answer, bound: rule.bound, reason: rule.reason, place: rule.place, calls: [said]))
            }
        }
        return groups
    }

    private func section(_ title: String, groups: [CallRuleGroup]) -> [ReportLine] {
        guard !groups.isEmpty else { return [] }
        var lines = [ReportLine(title, tone: .heading)]
        for group in groups {
            let answer: String = if case .deny = group.answer { " (\(group.answer.word))" } else { "" }
            lines.append(ReportLine(group.reason + answer, indent: 1))
            lines.append(ReportLine("\(group.place)", tone: .faint, indent: 1))
            let plain = group.calls.filter { !$0.contains(" ") }
            if !plain.isEmpty { lines.append(ReportLine(plain.joined(separator: ", "), indent: 2)) }
            lines += group.calls.filter { $0.contains(" ") }.map { ReportLine($0, indent: 2) }
        }
        return lines
    }
}

extension Policy {
    /// One section of a policy that is not about calls, as text.
    struct Fact: Sendable, Hashable {
        let title: String
        let items: [String]
    }

    /// Everything that the policy states in addition to its rules about calls.
    var facts: [Fact] {
        [
            Fact(title: "Paths", items: pathFacts), Fact(title: "Private directory", items: privateFacts),
            Fact(title: "Network", items: [network.words] + hostWords),
            Fact(
                title: "Memory that was writable and becomes executable",
                items: [writeXorExecute ? "never" : "as the rules about mmap and mprotect allow"]),
            Fact(title: "Environment", items: environmentFacts), Fact(title: "Limits", items: limitFacts),
        ]
    }

    private var pathFacts: [String] {
        var visible = visiblePaths.map { "\($0.path) \($0.rights): \($0.reason)" }
        visible += paths.callersGrants.map { "\($0.pattern) \($0.rights): \($0.reason)" }
        if paths.repositories == .git {
            visible.append("hooks of git repositories that are handed over, and main repositories of their worktrees")
        }
        return (visible.isEmpty ? ["none: no file exists in the sandbox"] : visible) + partFacts
    }

    var partFacts: [String] {
        paths.parts.map { part in
            let what = part.kind == .hide ? "hidden" : "not changeable"
            return "\(part.pattern.text) in these directories: \(what): \(part.reason)"
        }
    }

    var privateFacts: [String] {
        let facts = paths.privateDirectories.map { directory in
            let (place, life) =
                directory == paths.persistent
                ? ("on disk", "kept from run to run") : ("in memory", "removed with the process")
            return "\(directory.path): \(place), \(Quantity.text(bytes: directory.size)), \(directory.inodes) files, "
                + life
        }
        return facts.isEmpty ? ["none"] : facts
    }

    var environmentFacts: [String] {
        let fixed = environment.fixed.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let all = environment.passed.sorted().map { "\($0), from the host" } + fixed
        return all.isEmpty ? ["empty"] : all
    }

    /// The machines that a program with this policy reaches, and where the broker compares names.
    private var hostWords: [String] {
        guard network == .hosts else { return [] }
        let check =
            switch hosts.check {
            case .usual: "at the ports 443 and 8443, the name that a TLS client calls must be one of these"
            case .sni: "at all ports, the name that a TLS client calls must be one of these"
            case .none: "the name that a TLS client calls is not checked"
            }
        let names = hosts.list.isEmpty ? ["no host: the caller names them"] : hosts.list.map { "host \($0.words)" }
        return names + [check]
    }

    private var limitFacts: [String] {
        limits.values.map { "\($0.name.rawValue): \($0.value.text)" }
    }
}

extension PolicyNetwork {
    var words: String {
        switch self {
        case .none: "none: a namespace without any interface"
        case .loopback: "loopback: a namespace with a loopback interface only"
        case .hosts: "hosts: a loopback, and TCP connections to named machines, which the broker makes"
        case .client: "client: TCP connections to other machines, which the broker makes"
        case .host: "host: the whole network of the host"
        }
    }
}
