import AnnexAttacks
import AnnexLaunch
import AnnexPolicy

/// The results of the attacks, as text or as JSON.
struct AttackReport {
    let policy: String
    let waived: SandboxLayers
    let results: [AttackResult]

    var isHeld: Bool { !results.contains { $0.verdict == .gotThrough } }

    func text(style: Style) -> String {
        let without = waived.isEmpty ? "" : ", without \(waived.list.joined(separator: ", "))"
        var lines = [style.bold("\(results.count) techniques against \(policy)\(without)"), ""]
        for result in results { lines.append(contentsOf: row(result, style: style)) }
        return (lines + ["", summary(style)]).joined(separator: "\n")
    }

    private func row(_ result: AttackResult, style: Style) -> [String] {
        let word = result.verdict.word.padded(to: 18)
        let shown = result.verdict == .gotThrough ? style.bad(word) : style.good(word)
        let technique = String(result.attack.technique.prefix(46)).padded(to: 46)
        var lines = ["\(result.attack.id.padded(to: 10)) \(technique) \(shown) \(result.verdict.reason)"]
        if !result.detail.isEmpty { lines.append(style.faint("           \(result.detail)")) }
        return lines
    }

    private func summary(_ style: Style) -> String {
        var counts: [(word: String, count: Int)] = []
        for word in results.map(\.verdict.word) {
            if let index = counts.firstIndex(where: { $0.word == word }) {
                counts[index].count += 1
            } else {
                counts.append((word, 1))
            }
        }
        let text = counts.map { "\($0.count) \($0.word)" }.joined(separator: ", ")
        return isHeld ? style.good(text) : style.bad(text)
    }

    var json: String {
        JSON.object([
            .init("policy", value: .text(policy)), .init("without", value: .list(waived.list.map(JSON.text))),
            .init("gotThrough", value: .number(results.count { $0.verdict == .gotThrough })),
            .init("attacks", value: .list(results.map(member))),
        ]).written
    }

    private func member(_ result: AttackResult) -> JSON {
        .object([
            .init("id", value: .text(result.attack.id)), .init("technique", value: .text(result.attack.technique)),
            .init("verdict", value: .text(result.verdict.key)), .init("by", value: .text(result.verdict.reason)),
            .init(
                "tries",
                value: .list(
                    result.tries.map { tried in
                        .object(
                            [
                                .init("name", value: .text(tried.name)),
                                .init("verdict", value: .text(tried.verdict.key)),
                                .init("by", value: .text(tried.verdict.reason)),
                                .init("detail", value: .text(tried.detail)),
                            ] + (tried.measured.map { [.init("measured", value: figures($0))] } ?? []))
                    })),
        ])
    }

    private func figures(_ measured: Measured) -> JSON {
        let counts: [(String, UInt64)] = [
            ("before", measured.before), ("held", measured.held), ("after", measured.after),
            ("allowed", measured.allowed),
        ]
        let machine = measured.machine.map { count in
            JSON.Member(count.name, value: .list(count.values.map { .number(Int(clamping: $0)) }))
        }
        return .object(
            [.init("unit", value: .text(measured.unit))]
                + counts.map { .init($0.0, value: .number(Int(clamping: $0.1))) }
                + (measured.neighbour.map { [.init("neighbourWorks", value: .boolean($0))] } ?? [])
                + [.init("machine", value: .object(machine))])
    }
}

extension TryVerdict {
    /// The word for the JSON report.
    fileprivate var key: String {
        switch self {
        case .stopped: "stopped"
        case .allowed: "allowed"
        case .notApplicable: "not-applicable"
        case .drivenBy: "driven-by-tests"
        case .gotThrough: "got-through"
        }
    }
}
