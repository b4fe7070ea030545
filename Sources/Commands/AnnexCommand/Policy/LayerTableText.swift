import AnnexPolicy

/// Prints a policy's table of layers, as text or as JSON.
enum LayerTableText {
    /// A line for each statement: which layers enforce it, fully or in part, and which cannot.
    static func lines(_ table: LayerTable) -> [String] {
        // Statements about calls are left out, because only the filter enforces them, and each in the same way.
        let rows = table.rows.filter { if case .call = $0.statement { false } else { true } }
        return rows.flatMap { row in
            var lines = ["\(row.statement)" + (row.place.map { "   \($0)" } ?? "")]
            let holders = row.holders.map(\.title) + (row.elsewhere.map { [$0] } ?? [])
            lines.append("  held by " + (holders.isEmpty ? "no layer whole" : holders.joined(separator: ", ")))
            for layer in SandboxLayer.allCases {
                switch row.parts[layer] {
                case .some(.partly(let gap)): lines.append("  \(layer.title) in part: \(gap)")
                case .some(.none(let gap)): lines.append("  \(layer.title) not: \(gap)")
                case .whole, nil: break
                }
            }
            return lines
        }
    }

    static func json(_ table: LayerTable) -> JSON {
        .list(
            table.rows.map { row in
                var members: [JSON.Member] = [
                    .init("statement", .text("\(row.statement)")), .init("heldBy", .texts(row.holders.map(\.title))),
                ]
                if let place = row.place { members.append(.init("place", .text("\(place)"))) }
                if let elsewhere = row.elsewhere { members.append(.init("elsewhere", .text(elsewhere))) }
                let gaps = SandboxLayer.allCases.compactMap { layer in
                    row.parts[layer]?.gap.map { JSON.Member(layer.title, .text($0)) }
                }
                return .object(members + [.init("gaps", .object(gaps))])
            })
    }
}
