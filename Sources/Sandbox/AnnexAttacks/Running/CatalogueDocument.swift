package import AnnexPolicy
package import AnnexSandbox

/// The catalogue as a page of the documentation.
package struct CatalogueDocument {
    private let runner: AttackRunner
    private let policies: [Policy]

    /// - Parameter policies: those whose word about seccomp is shown.
    package init(of runner: AttackRunner, under policies: [Policy]) {
        self.runner = runner
        self.policies = policies
    }

    package var text: String {
        let parts = [Self.preface] + Catalogue.sections.map(section) + [resting]
        return parts.joined(separator: "\n")
    }

    private static let preface = """
        # The attacks

        What a hostile program will try, and what stops it. This page is made by `annex attack --document`, a test holds it
        equal to the code, and `annex attack` tries every line of it on your machine, against any policy.

        *Tried* names each way in which a lone program tries it, in a sandbox of its own, and the layers that stop that try,
        each by itself, with the others switched off; `seccomp in …` names the shipped policies whose filter does. A try
        without a layer is stopped by what every sandbox has: an ordinary user's rights, limits, descriptors of its own.
        *Stopped by* is the sum of that. It is no intention: tests leave each layer out, and leave it alone in force, and
        compare what then gets through. Techniques that need a hostile peer, client or bundle have no try: they are driven
        by the tests that are named. `+` marks what Annex itself added to the list.

        The rows KOBJ are measured: the host counts what the kernel holds before the program begins, while it holds what it
        took, and after its end. At most 2 MiB more than before are allowed, and of what counts against the limit of memory
        no more than that limit, which is at most 64 MiB here. Where a user's share is taken, another program of the same
        user must still be able to work. `annex attack --json` has the figures, and the machine's own counts beside them.

        """

    private func section(_ section: (prefix: String, title: String)) -> String {
        let rows = Catalogue.attacks.filter { $0.section == section.prefix }.map(row)
        return """
            ## \(section.prefix): \(section.title)
            | id | technique | stopped by | tried, or driven by |
            |---|---|---|---|
            \(rows.joined(separator: "\n"))

            """
    }

    private func row(_ attack: Attack) -> String {
        let how =
            switch attack.trial {
            case .tries(let tries): tries.map(line).joined(separator: "<br>")
            case .drivenBy(let tests): tests.map { "test `\($0)`" }.joined(separator: "<br>")
            case .notApplicable(let reason): "not applicable: \(reason)"
            }
        let mark = attack.isAddition ? " +" : ""
        return "| \(attack.id)\(mark) | \(cell(attack.technique)) | \(cell(stopping(attack))) | \(cell(how)) |"
    }

    /// By what the tries of a row are stopped, each at least once.
    private func stopping(_ attack: Attack) -> String {
        switch attack.trial {
        case .drivenBy: return "not tried by a lone program"
        case .notApplicable: return "not applicable"
        case .tries: break
        }
        var names: [String] = []
        for one in attack.tries {
            let (layers, filters) = holding(one)
            let seccomp = filters.isEmpty ? [] : [filters.count == policies.count ? "seccomp" : "seccomp in some"]
            // Where no filter and no layer stops it, what is measured is stopped by its limit.
            let isLimited = one.measure != nil && filters.count < policies.count
            let held = layers + seccomp + (isLimited ? [one.otherwise] : [])
            for name in (held.isEmpty ? [one.otherwise] : held) where !names.contains(name) { names.append(name) }
        }
        if names.contains("seccomp") { names.removeAll { $0 == "seccomp in some" } }
        return names.joined(separator: ", ")
    }

    /// The layers that stop a try, and the policies whose filter does.
    private func holding(_ one: Try) -> (layers: [String], filters: [String]) {
        (one.holdingAnywhere(policies).list, policies.filter { runner.isRefused(one, by: $0) }.map(\.name))
    }

    private func line(_ one: Try) -> String {
        let (layers, filters) = holding(one)
        let seccomp = filters.count == policies.count ? ["seccomp"] : []
        let some = seccomp.isEmpty && !filters.isEmpty ? ["seccomp in \(filters.joined(separator: ", "))"] : []
        let holding = layers + seccomp + some
        return "\(one.name): \(holding.isEmpty ? one.otherwise : holding.joined(separator: ", "))"
    }

    private func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }

    /// What one layer holds alone: who leaves it out has nothing but the kernel's own checks against these.
    private var resting: String {
        var lines = [
            "## What rests on one layer", "",
            "With this layer left out, nothing of Annex but limits and an ordinary user's rights stops these; `annex attack "
                + "--without LAYER` tries which of them then get through on your machine.", "",
            "| policy | layer | attacks |", "|---|---|---|",
        ]
        for policy in policies {
            for layer in SandboxLayers.each {
                let ids = Catalogue.attacks.filter { rests($0, on: layer, under: policy) }.map(\.id)
                if !ids.isEmpty {
                    lines.append("| \(policy.name) | \(layer.list[0]) | \(ids.joined(separator: " ")) |")
                }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func rests(_ attack: Attack, on layer: SandboxLayers, under policy: Policy) -> Bool {
        attack.tries.contains { one in
            let others = one.holdingAnywhere([policy])
            let all = runner.isRefused(one, by: policy) ? others.union(.seccomp) : others
            return all == layer && one.least.isDisjoint(with: layer)
        }
    }
}

extension SandboxLayers {
    /// Each layer by itself, in their order.
    package static let each: [SandboxLayers] = (0..<13).map { SandboxLayers(rawValue: 1 << $0) }
}
