internal import AnnexLinux
package import AnnexPolicy

extension PolicyDifference {
    /// The differences as text. First come the calls and paths that only the first policy allows, then those that only
    /// the second policy allows, then all other differences.
    package var lines: [ReportLine] {
        if isEmpty {
            return [
                ReportLine("\(first.name) and \(second.name) have the same calls, paths and statements.", tone: .good)
            ]
        }
        return beyond(.first) + beyond(.second) + neither
    }

    private func beyond(_ side: Side) -> [ReportLine] {
        let (policy, other) = side == .first ? (first, second) : (second, first)
        let calls = calls.filter { !Self.examples($0, side: side).isEmpty }
        let paths = paths.filter { !Self.rights($0, side: side).isEmpty }
        let facts = facts.filter { $0.wider == side }
        guard !calls.isEmpty || !paths.isEmpty || !facts.isEmpty else {
            return [ReportLine("\(policy.name) allows nothing beyond \(other.name)", tone: .heading)]
        }
        var lines = [ReportLine("\(policy.name) allows beyond \(other.name)", tone: .heading)]
        lines += calls.flatMap { words($0, side: side, policy: policy, other: other) }
        lines += paths.map { ReportLine("\(Escaped($0.path)) \(Self.rights($0, side: side))", indent: 1) }
        lines += facts.map { ReportLine(words($0, side: side), indent: 1) }
        return lines
    }

    private func words(_ call: Call, side: Side, policy: Policy, other: Policy) -> [ReportLine] {
        let examples = Self.examples(call, side: side)
        let instead = other.answer(number: call.call.number, arguments: examples[0]).word
        let own = (policy.rules[call.call.number] ?? []).filter { $0.answer == .allow }
        let isWhole = own.contains { $0.conditions.isEmpty }
        let others = other.rules[call.call.number]?.contains { $0.answer == .allow } ?? false
        if isWhole, !others { return [ReportLine("\(call.call.name): always; \(other.name): \(instead)", indent: 1)] }
        let said = own.map { $0.words(for: policy.architecture) }.joined(separator: "; ")
        let shown = Self.shown(examples, of: call.call)
        return [
            ReportLine("\(call.call.name) \(said)", indent: 1),
            ReportLine(
                "for example \(shown.joined(separator: ", ")); \(other.name): \(instead)", tone: .faint, indent: 2),
        ]
    }

    private func words(_ fact: Fact, side: Side) -> String {
        let (own, other) = side == .first ? (fact.first, fact.second) : (fact.second, fact.first)
        return "\(fact.title): \(own); \(side == .first ? second.name : first.name): \(other)"
    }

    /// The differences in which neither policy allows more.
    private var neither: [ReportLine] {
        let calls = calls.filter { !$0.otherwise.isEmpty }
        let paths = paths.filter(\.isOtherwise)
        let facts = facts.filter { $0.wider == nil }
        guard !calls.isEmpty || !paths.isEmpty || !facts.isEmpty else { return [] }
        var lines = [ReportLine("Different, but neither policy allows more", tone: .heading)]
        var groups: [String: [String]] = [:]
        for call in calls {
            let answers = [first, second].map {
                $0.answer(number: call.call.number, arguments: call.otherwise[0]).words
            }
            groups["\(first.name): \(answers[0]); \(second.name): \(answers[1])", default: []].append(call.call.name)
        }
        for (words, names) in groups.sorted(by: { $0.key < $1.key }) {
            lines.append(ReportLine(words, indent: 1))
            lines.append(ReportLine(Self.shortened(names), indent: 2))
        }
        lines += paths.map { path in
            let errors = [first, second].map { policy in
                policy.verdict(path: path.path, rights: .read).errno.map(Errno.name) ?? "allowed"
            }
            return ReportLine("\(Escaped(path.path)): \(errors[0]); \(errors[1])", indent: 1)
        }
        return lines + facts.map { ReportLine("\($0.title): \($0.first); \($0.second)", indent: 1) }
    }

    /// The names as one text. Calls without a name are only counted, because there are many.
    private static func shortened(_ names: [String]) -> String {
        let (nameless, named) = (names.filter { $0.hasPrefix("call ") }, names.filter { !$0.hasPrefix("call ") })
        let rest = nameless.isEmpty ? [] : ["\(nameless.count) numbers without a name"]
        return (named + rest).joined(separator: ", ")
    }

    /// Up to three examples with different texts. Bits that the kernel does not read are not shown.
    private static func shown(_ examples: [[UInt64]], of call: SystemCall) -> [String] {
        var shown: [String] = []
        for arguments in examples.sorted(by: { $0.weight < $1.weight }) where shown.count < 3 {
            let text = call.describe(arguments: arguments)
            if !shown.contains(text) { shown.append(text) }
        }
        return shown
    }

    private static func examples(_ call: Call, side: Side) -> [[UInt64]] {
        side == .first ? call.onlyFirst : call.onlySecond
    }

    private static func rights(_ path: Path, side: Side) -> PathRights {
        side == .first ? path.onlyFirst : path.onlySecond
    }
}

extension PolicyDifference {
    package var json: JSON {
        .object([
            .init("first", value: .text(first.name)), .init("second", value: .text(second.name)),
            .init("same", value: .boolean(isEmpty)),
            .init("calls", value: .list(calls.map(json))),
            .init(
                "paths",
                value: .list(
                    paths.map { path in
                        .object([
                            .init("path", value: .text(path.path)),
                            .init("onlyFirst", value: .texts(path.onlyFirst.words)),
                            .init("onlySecond", value: .texts(path.onlySecond.words)),
                            .init("otherwise", value: .boolean(path.isOtherwise)),
                        ])
                    })),
            .init(
                "facts",
                value: .list(
                    facts.map { fact in
                        .object([
                            .init("title", value: .text(fact.title)), .init("first", value: .text(fact.first)),
                            .init("second", value: .text(fact.second)),
                            .init(
                                "wider", value: .optional(fact.wider.map { $0 == .first ? first.name : second.name })),
                        ])
                    })),
        ])
    }

    private func json(_ call: Call) -> JSON {
        func shown(_ list: [[UInt64]]) -> JSON {
            .texts(Self.shown(list, of: call.call))
        }
        return .object([
            .init("call", value: .text(call.call.name)), .init("number", value: .number(Int(call.call.number))),
            .init("onlyFirst", value: shown(call.onlyFirst)), .init("onlySecond", value: shown(call.onlySecond)),
            .init("otherwise", value: shown(call.otherwise)),
        ])
    }
}

extension PathRights {
    package var words: [String] { Self.names.filter { contains($0.right) }.map(\.name) }
}

extension [UInt64] {
    /// The number of set bits. Examples with few set bits come first, because they look most like arguments that a
    /// person would write.
    fileprivate var weight: Int { reduce(0) { $0 + $1.nonzeroBitCount } }
}
