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
        for result in results { lines.append(contentsOf: row(result, style)) }
        return (lines + ["", summary(style)]).joined(separator: "\n")
    }

    private func row(_ result: AttackResult, _ style: Style) -> [String] {
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
            .init("policy", .text(policy)), .init("without", .list(waived.list.map(JSON.text))),
            .init("gotThrough", .number(results.count { $0.verdict == .gotThrough })),
            .init("attacks", .list(results.map(member))),
        ]).written
    }

    private func member(_ result: AttackResult) -> JSON {
        .object([
            .init("id", .text(result.attack.id)), .init("technique", .text(result.attack.technique)),
            .init("verdict", .text(result.verdict.key)), .init("by", .text(result.verdict.reason)),
            .init(
                "tries",
                .list(
                    result.tries.map { tried in
                        .object(
                            [
                                .init("name", .text(tried.name)), .init("verdict", .text(tried.verdict.key)),
                                .init("by", .text(tried.verdict.reason)), .init("detail", .text(tried.detail)),
                            ] + (tried.measured.map { [.init("measured", figures($0))] } ?? []))
                    })),
        ])
    }

    private func figures(_ measured: Measured) -> JSON {
        let counts: [(String, UInt64)] = [
            ("before", measured.before), ("held", measured.held), ("after", measured.after),
            ("allowed", measured.allowed),
        ]
        let machine = measured.machine.map { count in
            JSON.Member(count.name, .list(count.values.map { .number(Int(clamping: $0)) }))
        }
        return .object(
            [.init("unit", .text(measured.unit))] + counts.map { .init($0.0, .number(Int(clamping: $0.1))) }
                + (measured.neighbour.map { [.init("neighbourWorks", .boolean($0))] } ?? [])
                + [.init("machine", .object(machine))])
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
