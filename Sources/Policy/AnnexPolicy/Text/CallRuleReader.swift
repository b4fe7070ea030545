/// Reads the sections of a policy file that are about calls: `allow`, `refuse` and `end`.
struct CallRuleReader {
    let architecture: Architecture

    /// The largest number of rules in one file. The kernel accepts filters of at most 4,096 instructions.
    static let mostRules = 4096

    /// The rules of a file for each call, in the order in which they decide: `allow`, `refuse`, `end`.
    func rules(in values: [String: PolicyNode]) throws(PolicyError) -> [String: [CallRule]] {
        var rules: [CallRule] = []
        for section in Section.allCases {
            for group in try values[section.rawValue]?.list("`\(section.rawValue)`") ?? [] {
                try read(group, of: section, into: &rules)
            }
        }
        return try joined(rules)
    }

    /// The sections in the order in which they decide.
    private enum Section: String, CaseIterable {
        case allow, refuse, end

        var keys: [String] {
            switch self {
            case .allow: ["reason", "calls", "bounded"]
            case .refuse: ["reason", "calls", "answer", "report"]
            case .end: ["reason", "calls", "means"]
            }
        }
    }

    private func read(
        _ group: PolicyNode, of section: Section, into rules: inout [CallRule]
    ) throws(PolicyError) {
        let values = try group.mapping("a group of `\(section.rawValue)`", keys: section.keys)
        guard let reason = values["reason"], let calls = values["calls"] else {
            throw group.error("a group must state its `reason` and its `calls`")
        }
        let text = try reason.text("a reason")
        let answer = try answer(of: group, values, in: section)
        let bound = try values["bounded"].map { node throws(PolicyError) in
            try node.word("bounded", among: CallBound.self)
        }
        for item in try calls.list("`calls`") {
            rules.append(try rule(item, answer: answer, reason: text, bound: bound))
            guard rules.count <= Self.mostRules else {
                throw item.error("the file has more than \(Self.mostRules) rules")
            }
        }
    }

    private func answer(
        of group: PolicyNode, _ values: [String: PolicyNode], in section: Section
    ) throws(PolicyError) -> CallAnswer {
        switch section {
        case .allow: return .allow
        case .refuse:
            guard let answer = values["answer"] else {
                throw group.error("a group of `refuse` must state its errno (`answer:`)")
            }
            return .deny(errno: try answer.answer(), reported: try isReported(values))
        case .end:
            guard let means = values["means"] else { return .end }
            guard try means.text("`means`") == "abort" else {
                throw means.error("the only value of `means` is `abort`")
            }
            return .aborting
        }
    }

    private func isReported(_ values: [String: PolicyNode]) throws(PolicyError) -> Bool {
        guard let report = values["report"] else { return false }
        return try report.isOn()
    }

    private func rule(
        _ item: PolicyNode, answer: CallAnswer, reason: String, bound: CallBound?
    ) throws(PolicyError) -> CallRule {
        let values = item.isMapping ? try item.mapping("a call", keys: ["call", "when"]) : ["call": item]
        guard let name = values["call"] else { throw item.error("an entry must name its call (`call:`)") }
        let call = try systemCall(name)
        let conditions = try values["when"].map { node throws(PolicyError) in
            try ConditionReader(call: call).conditions(node)
        }
        let rule = CallRule(
            call: call.name, conditions: conditions ?? [], answer: answer, reason: reason, place: item.place,
            bound: bound)
        if let bound, !bound.covers(rule) {
            throw item.error("`bounded: \(bound.rawValue)` is \(bound.scope)")
        }
        try rejectContradictionOfLaunch(rule, at: name)
        return rule
    }

    /// The call on this architecture. If this architecture does not have the call, the call of x86-64 is used, so
    /// that the policy's entry for the call is checked too.
    private func systemCall(_ node: PolicyNode) throws(PolicyError) -> SystemCall {
        let name = try node.text("a call")
        guard
            let call = SystemCall(named: name, architecture: architecture)
                ?? SystemCall(named: name, architecture: .x86)
        else { throw node.unknown("system call `\(name)`", name: name, among: SystemCallTable.allNames) }
        return call
    }

    private func rejectContradictionOfLaunch(_ rule: CallRule, at node: PolicyNode) throws(PolicyError) {
        if LaunchCalls.names.contains(rule.call), rule.answer != .allow || !rule.conditions.isEmpty {
            throw node.error("every launch needs `\(rule.call)`, so it is always allowed: remove the rule")
        }
        if rule.call == LaunchCalls.exec, rule.answer == .allow, !rule.conditions.isEmpty {
            throw node.error(
                "`execveat` passes once per launch by itself; beyond that it is allowed always or not at all")
        }
    }

    private func joined(_ rules: [CallRule]) throws(PolicyError) -> [String: [CallRule]] {
        var joined: [String: [CallRule]] = [:]
        for rule in rules {
            let earlier = joined[rule.call] ?? []
            if let decided = earlier.first(where: { $0.conditions.isEmpty || $0.conditions == rule.conditions }) {
                throw PolicyError(
                    "`\(rule.call)` is already decided in line \(decided.place.line)", at: rule.place)
            }
            joined[rule.call, default: []].append(rule)
        }
        for (_, rules) in joined.sorted(by: { $0.key < $1.key }) { try CallRule.count(rules) }
        return joined
    }
}

/// Reads the `when:` of one call. A `when:` has a condition for each argument that it names.
struct ConditionReader {
    let call: SystemCall

    func conditions(_ node: PolicyNode) throws(PolicyError) -> [CallCondition] {
        var conditions: [CallCondition] = []
        for entry in try node.entries("`when`") {
            let index = try index(entry.key, named: entry.name)
            guard !conditions.contains(where: { $0.index == index }) else {
                throw entry.key.error("argument `\(entry.name)` is stated twice")
            }
            let reader = ComparisonReader(kind: kind(of: index))
            conditions.append(CallCondition(index: index, alternatives: try reader.comparisons(entry.value)))
        }
        guard !conditions.isEmpty else { throw node.error("`when` must state an argument") }
        return conditions
    }

    /// The index of an argument. The argument is stated by its name, or by its number if the call's arguments have no
    /// names.
    private func index(_ node: PolicyNode, named name: String) throws(PolicyError) -> Int {
        let known = (call.arguments ?? []).map(\.name)
        if let index = known.firstIndex(of: name) { return index }
        if let number = WholeNumber.parse(name), number < 6 { return Int(number) }
        throw node.unknown("argument `\(name)` of `\(call.name)`", name: name, among: known)
    }

    private func kind(of index: Int) -> ArgumentKind {
        let known = call.arguments ?? []
        if index < known.count { return known[index].kind }
        return ArgumentKind(name: "hex", bits: 64, style: .hexadecimal, constants: [])
    }
}
