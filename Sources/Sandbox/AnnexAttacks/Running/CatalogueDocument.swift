package import AnnexLaunch
package import AnnexPolicy

/// The catalogue as a page of the documentation.
package struct CatalogueDocument {
    private let runner: AttackRunner
    private let policies: [Policy]

    /// - Parameter policies: the policies whose filters the page names.
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

        This page lists the techniques that a hostile program will try against its sandbox, and the layers that stop each of
        them. The command `annex attack` tries each row that a single program can try, on your machine and against any policy.
        Tests cover the other rows. The command `annex attack --document` generates this page, and a test compares it with the
        code.

        Most techniques are tried by a single program in a sandbox of its own. The last column names each try, and then the
        layers that stop it. Each of these layers stops the try by itself, with all others switched off; `seccomp in …` names
        the shipped policies whose filter stops it. A try without a layer is stopped by the properties of every sandbox: an
        ordinary user's rights, limits, and descriptors of its own. The column *stopped by* collects the layers of a row. The
        table is measured: tests leave out each layer, and enforce each layer alone, and compare which attacks get through.

        Some techniques need a hostile peer, client or bundle. The last column then names the tests that carry them out. A
        `+` marks a technique that Annex itself added to the list.

        The rows KOBJ are measured too. The host counts the kernel's objects before the program starts, while the program
        holds them, and after its end. At most 2 MiB more than before are allowed. Objects that count against the memory limit
        may use that limit too, which is at most 64 MiB here. If a technique uses up a user's share, another program of the
        same user must still be able to work. `annex attack --json` prints the figures and the machine's own counts.

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

    /// The layers and limits that stop the tries of a row, each listed once.
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
            // If one of the filters does not stop a measured try, a limit stops it.
            let isLimited = one.measure != nil && filters.count < policies.count
            let held = layers + seccomp + (isLimited ? [one.otherwise] : [])
            for name in (held.isEmpty ? [one.otherwise] : held) where !names.contains(name) { names.append(name) }
        }
        if names.contains("seccomp") { names.removeAll { $0 == "seccomp in some" } }
        return names.joined(separator: ", ")
    }

    /// The layers that stop a try, and the policies whose filter stops it.
    private func holding(_ one: Try) -> (layers: [String], filters: [String]) {
        (one.holdingAnywhere(policies).list, policies.filter { runner.isDenied(one, by: $0) }.map(\.name))
    }

    private func line(_ one: Try) -> String {
        let (layers, filters) = holding(one)
        let seccomp = filters.count == policies.count ? ["seccomp"] : []
        let some = seccomp.isEmpty && !filters.isEmpty ? ["seccomp in \(filters.joined(separator: ", "))"] : []
        let holding = layers + seccomp + some
        return "\(one.name): \(holding.isEmpty ? one.otherwise : holding.joined(separator: ", "))"
    }

    private func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }

    /// The attacks that a single layer stops. In a sandbox without that layer, only the kernel's own checks can stop
    /// them.
    private var resting: String {
        var lines = [
            "## What rests on one layer", "",
            "Each row lists the attacks that only one layer stops. Without that layer, only limits and an ordinary "
                + "user's rights remain. `annex attack --without LAYER` tries which of them then get through on your "
                + "machine.", "",
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
            let all = runner.isDenied(one, by: policy) ? others.union(.seccomp) : others
            return all == layer && one.least.isDisjoint(with: layer)
        }
    }
}

extension SandboxLayers {
    /// The single layers, in their order.
    package static let each: [SandboxLayers] = (0..<13).map { SandboxLayers(rawValue: 1 << $0) }
}
