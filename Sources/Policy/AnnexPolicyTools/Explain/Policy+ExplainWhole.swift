internal import AnnexPolicy

extension Policy {
    func explainWhole() -> Explanation {
        var lines = [ReportLine("\(name): \(summary)", .heading)]
        lines += section("Calls that are made", groups { $0 == .allow })
        lines += section("Calls that fail quietly", groups { if case .refuse = $0 { true } else { false } })
        lines += section("Calls that end the process", groups { $0 == .end || $0 == .aborting })
        lines.append(ReportLine("Every other call", .heading))
        lines.append(ReportLine(CallAnswer.refuse(errno: unlisted.known, reported: true).words, indent: 1))
        let unknown = CallAnswer.refuse(errno: unlisted.unknown, reported: true).words
        lines.append(ReportLine("numbers that no known kernel has: \(unknown)", indent: 1))
        for part in facts {
            lines.append(ReportLine(part.title, .heading))
            lines += part.items.map { ReportLine($0, indent: 1) }
        }
        return Explanation(
            isAllowed: nil, lines: lines,
            json: .object([
                .init("policy", .text(name)), .init("summary", .text(summary)),
                .init("architecture", .text(architecture.rawValue)), .init("allowedCalls", .texts(allowedCalls)),
                .init("facts", .object(facts.map { .init($0.title, .texts($0.items)) })),
            ]))
    }

    /// Rules with the same answer and reason, which stand together in the text.
    private struct Group {
        let answer: CallAnswer
        let bound: CallBound?
        let reason: String
        let place: PolicyPlace
        var calls: [String]
    }

    private func groups(_ belongs: (CallAnswer) -> Bool) -> [Group] {
        let all = rules.values.joined().filter { belongs($0.answer) }.sorted { $0.place.comesBefore($1.place) }
        var groups: [Group] = []
        for rule in all {
            let said = rule.conditions.isEmpty ? rule.call : "\(rule.call) \(rule.words(for: architecture))"
            if let last = groups.indices.last, groups[last].reason == rule.reason, groups[last].answer == rule.answer,
                groups[last].bound == rule.bound, groups[last].place.file == rule.place.file
            {
                groups[last].calls.append(said)
            } else {
                groups.append(
                    Group(
                        answer: rule.answer, bound: rule.bound, reason: rule.reason, place: rule.place, calls: [said]))
            }
        }
        return groups
    }

    private func section(_ title: String, _ groups: [Group]) -> [ReportLine] {
        guard !groups.isEmpty else { return [] }
        var lines = [ReportLine(title, .heading)]
        for group in groups {
            let answer: String = if case .refuse = group.answer { " (\(group.answer.word))" } else { "" }
            lines.append(ReportLine(group.reason + answer, indent: 1))
            lines.append(ReportLine("\(group.place)", .faint, indent: 1))
            let plain = group.calls.filter { !$0.contains(" ") }
            if !plain.isEmpty { lines.append(ReportLine(plain.joined(separator: ", "), indent: 2)) }
            lines += group.calls.filter { $0.contains(" ") }.map { ReportLine($0, indent: 2) }
        }
        return lines
    }
}
