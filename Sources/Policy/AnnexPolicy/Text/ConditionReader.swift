/// Reads the `when:` of one call: a condition for each argument that it names.
struct ConditionReader {
    let call: SystemCall

    func conditions(_ node: PolicyNode) throws(PolicyError) -> [CallCondition] {
        var conditions: [CallCondition] = []
        for entry in try node.entries("`when`") {
            let index = try index(entry.key, entry.name)
            guard !conditions.contains(where: { $0.index == index }) else {
                throw entry.key.error("argument `\(entry.name)` is stated twice")
            }
            let reader = ComparisonReader(kind: kind(of: index))
            conditions.append(CallCondition(index: index, alternatives: try reader.comparisons(entry.value)))
        }
        guard !conditions.isEmpty else { throw node.error("`when` states no argument") }
        return conditions
    }

    /// The index of an argument, stated by its name, or by its number if the call's arguments have no names.
    private func index(_ node: PolicyNode, _ name: String) throws(PolicyError) -> Int {
        let known = (call.arguments ?? []).map(\.name)
        if let index = known.firstIndex(of: name) { return index }
        if let number = WholeNumber.parse(name), number < 6 { return Int(number) }
        throw node.unknown("argument `\(name)` of `\(call.name)`", name, among: known)
    }

    private func kind(of index: Int) -> ArgumentKind {
        let known = call.arguments ?? []
        if index < known.count { return known[index].kind }
        return ArgumentKind(name: "hex", bits: 64, style: .hexadecimal, constants: [])
    }
}
