internal import AnnexLinux
internal import AnnexPolicy

extension Policy {
    /// Explains one call with its arguments. Missing arguments count as 0. If a rule compares a missing argument, the
    /// explanation says so.
    func explain(_ call: SystemCall, given: [Int: UInt64]) -> Explanation {
        let arguments = (0..<6).map { given[$0] ?? 0 }
        let verdict = verdict(number: call.number, arguments: arguments)
        let shown = given.isEmpty ? call.name : call.describe(arguments: arguments)
        var lines = [headline(shown, verdict: verdict)]
        lines += reasons(verdict)
        let compared = Set((rules[call.number] ?? []).flatMap { $0.conditions.map(\.index) })
        let taken = compared.subtracting(given.keys).sorted().map { CallRule.argumentName($0, of: call) }
        if !taken.isEmpty {
            lines.append(ReportLine("arguments taken as 0: \(taken.joined(separator: ", "))", tone: .faint, indent: 1))
        }
        return Explanation(
            isAllowed: verdict.answer == .allow, lines: lines,
            json: .object([
                .init("policy", value: .text(name)), .init("call", value: .text(call.name)),
                .init("number", value: .number(Int(call.number))),
                .init("shown", value: .text(call.describe(arguments: arguments))),
                .init("verdict", value: json(verdict)), .init("takenAsZero", value: .texts(taken)),
            ]))
    }

    /// Explains every rule about one call, in the order in which the rules decide.
    func explainRules(of call: SystemCall) -> Explanation {
        let own = rules[call.number] ?? []
        // If this condition holds, the answer to the call does not depend on its arguments.
        if own.isEmpty || own[0].conditions.isEmpty || LaunchCalls.names.contains(call.name) {
            return explain(call, given: [:])
        }
        let decides = own.contains { $0.conditions.isEmpty }
        var lines = [ReportLine("\(call.name): \(summary(of: own, decides))", tone: tone(of: own, decides))]
        for rule in own {
            let answer = rule.answer.words(within: rule.bound)
            lines.append(ReportLine("\(answer) \(rule.words(for: architecture))", indent: 1))
            lines.append(ReportLine("\(rule.place): \(rule.reason)", tone: .faint, indent: 2))
        }
        if call.name == LaunchCalls.exec {
            lines.append(ReportLine("allowed once, for the launch itself, before these rules", indent: 1))
        }
        let rest = CallAnswer.deny(errno: unlisted.known, reported: true)
        if !decides {
            lines.append(ReportLine("\(rest.words) otherwise", indent: 1))
            lines.append(ReportLine("\(unlisted.place): the answer to calls without a rule", tone: .faint, indent: 2))
        }
        if !own.contains(where: { $0.answer == .allow }) {
            lines += verdict(number: call.number, arguments: []).remedy.map { self.lines(of: $0) } ?? []
        }
        let isAllowed =
            own.allSatisfy { $0.answer == .allow } && decides
            ? true : own.contains { $0.answer == .allow } ? nil : false
        return Explanation(
            isAllowed: isAllowed, lines: lines,
            json: .object([
                .init("policy", value: .text(name)), .init("call", value: .text(call.name)),
                .init("number", value: .number(Int(call.number))),
                .init("rules", value: .list(own.map { json($0) })),
                .init("otherwise", value: decides ? .null : .text(rest.word)),
            ]))
    }

    private func summary(of rules: [CallRule], _ decides: Bool) -> String {
        let allows = rules.contains { $0.answer == .allow }
        if allows { return decides && rules.count == 1 ? "allowed" : "allowed with conditions" }
        return decides && rules.count == 1 ? rules[0].answer.words : "never allowed"
    }

    private func tone(of rules: [CallRule], _ decides: Bool) -> ReportLine.Tone {
        guard rules.contains(where: { $0.answer == .allow }) else { return .bad }
        return decides && rules.count == 1 ? .good : .heading
    }

    private func headline(_ what: String, verdict: Verdict) -> ReportLine {
        let layer = verdict.layer.map { ", by \($0.title)" } ?? ""
        let answer = verdict.answer.words(within: verdict.bound)
        return ReportLine("\(what): \(answer)\(layer)", tone: verdict.answer == .allow ? .good : .bad)
    }

    private func reasons(_ verdict: Verdict) -> [ReportLine] {
        let reason = verdict.reason ?? "no rule is about the call, so it gets the answer for unlisted calls"
        let place = verdict.isOfTheLaunch ? "" : "\(verdict.place): "
        return [ReportLine(place + reason, tone: .faint, indent: 1)] + (verdict.remedy.map(lines(of:)) ?? [])
    }

    private func lines(of remedy: Remedy) -> [ReportLine] {
        guard let text = remedy.text else { return [] }
        let place =
            if case .entry(let entry) = remedy, !entry.breaksWriteXorExecute {
                "this line would allow it, under `allow:`, in a group with a reason:"
            } else {
                "this would allow it:"
            }
        return [ReportLine(place, indent: 1), ReportLine(text, indent: 2)]
    }

    private func json(_ verdict: Verdict) -> JSON {
        .object([
            .init("answer", value: .text(verdict.answer.word)),
            .init("layer", value: .optional(verdict.layer?.rawValue)),
            .init("place", value: verdict.place.json), .init("reason", value: .optional(verdict.reason)),
            .init("remedy", value: .optional(verdict.remedy?.text)),
            .init("bounded", value: .optional(verdict.bound?.rawValue)),
        ])
    }

    private func json(_ rule: CallRule) -> JSON {
        .object([
            .init("answer", value: .text(rule.answer.word)), .init("when", value: .text(rule.words(for: architecture))),
            .init("place", value: rule.place.json), .init("reason", value: .text(rule.reason)),
            .init("bounded", value: .optional(rule.bound?.rawValue)),
        ])
    }
}

extension Verdict {
    /// Whether the call is allowed because a launch needs it, and not because of a line of the policy.
    var isOfTheLaunch: Bool { answer == .allow && reason == "needed by the launch itself" }
}

extension Policy {
    func explain(path: String, _ rights: PathRights) -> Explanation {
        let verdict = verdict(path: path, rights: rights)
        let shown = Escaped(path, limit: 400).description
        let wanted = rights.words
        let layers = verdict.deniedBy.map(\.title).joined(separator: ", ")
        let answer =
            verdict.isAllowed ? "allowed" : "refused with \(verdict.errno.map(Errno.name) ?? "an error"), by \(layers)"
        var lines = [
            ReportLine(
                "\(shown) (\(wanted.joined(separator: ", "))): \(answer)", tone: verdict.isAllowed ? .good : .bad)
        ]
        let place = verdict.place.map { "\($0): " } ?? ""
        lines.append(
            ReportLine(
                place + (verdict.reason ?? "no line grants the path, so it does not exist in the sandbox"),
                tone: .faint,
                indent: 1))
        if let remedy = verdict.remedy {
            lines += self.lines(of: remedy)
        } else if !verdict.isAllowed {
            let why = PathText.danger(PathText.resolved(path), rights: rights) ?? PathText.misspelling(path)
            lines.append(ReportLine("no policy may allow it" + (why.map { ": \($0)" } ?? ""), indent: 1))
        }
        lines.append(
            ReportLine(
                "only the spelling of the path was checked: links are not followed here", tone: .faint, indent: 1))
        return Explanation(
            isAllowed: verdict.isAllowed, lines: lines,
            json: .object([
                .init("policy", value: .text(name)), .init("path", value: .text(path)),
                .init("rights", value: .texts(wanted)),
                .init("allowed", value: .boolean(verdict.isAllowed)),
                .init("answer", value: .optional(verdict.errno.map(Errno.name))),
                .init("layers", value: .texts(verdict.deniedBy.map(\.rawValue))),
                .init("place", value: verdict.place?.json ?? .null), .init("reason", value: .optional(verdict.reason)),
                .init("remedy", value: .optional(verdict.remedy?.text)),
            ]))
    }
}
