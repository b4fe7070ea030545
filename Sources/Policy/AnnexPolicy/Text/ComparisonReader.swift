/// Reads the condition on one argument: a value, a list of values, or one of the words below with an operand.
struct ComparisonReader {
    let kind: ArgumentKind

    private static let words = [
        "only", "has", "without", "exactly", "mask", "is", "not", "below", "atMost", "above", "atLeast",
        "register",
    ]

    func comparisons(_ node: PolicyNode) throws(PolicyError) -> [Comparison] {
        let comparisons = try read(node)
        guard !comparisons.contains(where: \.misusesWord) else {
            throw node.error("OWN_USER and OWN_GROUP can only be listed as values")
        }
        return comparisons
    }

    private func read(_ node: PolicyNode) throws(PolicyError) -> [Comparison] {
        guard node.isMapping else { return try equal(node) }
        let words = try node.mapping("a condition", keys: Self.words)
        switch Set(words.keys) {
        case let keys where !keys.isEmpty && keys.isSubset(of: ["only", "has", "without"]):
            return try bits(only: words["only"], has: words["has"], without: words["without"], in: node)
        case ["exactly"]:
            return try words["exactly"].map { node throws(PolicyError) in [try exactly(node)] } ?? []
        case ["mask", "is"]: return try masked(words)
        // Imported profiles need `register`, because they compare bits that the kernel does not read.
        case ["register"]:
            return try words["register"].map { node throws(PolicyError) in
                try ComparisonReader(kind: kind.whole).comparisons(node)
            } ?? []
        case let keys where keys.count == 1: return try ordered(words, in: node)
        default: throw node.error("these words cannot be combined: use `only`, `has` and `without`, or `mask` and `is`")
        }
    }

    private func equal(_ node: PolicyNode) throws(PolicyError) -> [Comparison] {
        var comparisons: [Comparison] = []
        for item in node.oneOrMany() {
            comparisons.append(.masked(mask: kind.mask, value: try value(item)))
        }
        guard !comparisons.isEmpty else { throw node.error("an empty list allows no value: state at least one") }
        return comparisons
    }

    private func exactly(_ node: PolicyNode) throws(PolicyError) -> Comparison {
        .masked(mask: kind.mask, value: try union(node))
    }

    private func masked(_ words: [String: PolicyNode]) throws(PolicyError) -> [Comparison] {
        guard let maskNode = words["mask"], let valueNode = words["is"] else { return [] }
        let mask = try union(maskNode)
        guard !OwnNumbers.isWord(UInt32(truncatingIfNeeded: mask)) else {
            throw maskNode.error("OWN_USER and OWN_GROUP can only be listed as values")
        }
        var comparisons: [Comparison] = []
        for item in valueNode.oneOrMany() {
            let value = try value(item)
            guard value & ~mask == 0 else { throw item.error("the value has bits outside the mask") }
            comparisons.append(.masked(mask: mask, value: value))
        }
        return comparisons
    }

    private func ordered(_ words: [String: PolicyNode], in node: PolicyNode) throws(PolicyError) -> [Comparison] {
        guard let (word, operand) = words.first else { return [] }
        let value = try value(operand)
        switch word {
        case "below": return [.below(value)]
        case "atMost": return [.atMost(value)]
        default: break
        }
        // If the kernel reads 32 bits of an argument, it ignores the register's upper half, and the program can set any
        // bit there. A filter that compares the whole register would then mistake a small value for a large value.
        guard kind.bits == 64 else {
            throw node.error(
                "`\(word)` cannot be trusted here: the kernel reads 32 bits of this argument, the filter 64")
        }
        switch word {
        case "not": return [.not(value)]
        case "above": return [.above(value)]
        case "atLeast": return [.atLeast(value)]
        default: throw node.error("`mask` and `is` must be stated together")
        }
    }
}

extension ComparisonReader {
    /// Reads conditions on flags. `only` lists the flags that may be set. `has` lists the flags that must be set.
    /// `without` lists the flags that must not be set. If several bits together hold one value, `only` also lists the
    /// allowed values of these bits.
    private func bits(
        only: PolicyNode?, has: PolicyNode?, without: PolicyNode?, in node: PolicyNode
    ) throws(PolicyError) -> [Comparison] {
        if case .one = kind.style { throw node.error("this argument holds one value, not flags: list the values") }
        var mask: UInt64 = 0
        var wanted: UInt64 = 0
        if let has {
            wanted = try union(has)
            mask |= wanted | (wanted & choice == 0 ? 0 : choice)
        }
        if let without {
            let barred = try union(without)
            guard barred & choice == 0 else {
                throw without.error("`without` names a value, not a flag: list the allowed values in `only`")
            }
            guard barred & wanted == 0 else { throw without.error("`without` contradicts `has`") }
            mask |= barred
        }
        guard let only else { return [.masked(mask: mask, value: wanted)] }
        return try choices(only, mask: mask, wanted: wanted)
    }

    private func choices(_ only: PolicyNode, mask: UInt64, wanted: UInt64) throws(PolicyError) -> [Comparison] {
        var flags: UInt64 = 0
        var values: [UInt64] = []
        for item in only.oneOrMany() {
            let value = try value(item)
            if value & ~choice == 0, choice != 0 { values.append(value) } else { flags |= value }
        }
        guard wanted & ~(flags | choice) == 0 else { throw only.error("`only` leaves out a flag that `has` demands") }
        if choice == 0 { values = [0] }
        guard !values.isEmpty else {
            let names = kind.constants.filter { $0.value & ~choice == 0 }.map(\.name).joined(separator: ", ")
            throw only.error("`only` names no value: add at least one of \(names)")
        }
        let rest = kind.mask & ~flags
        return values.filter { wanted & choice == 0 || wanted & choice == $0 }
            .map { .masked(mask: rest | mask, value: $0 | wanted) }
    }

    private var choice: UInt64 {
        if case .flags(let choice) = kind.style { choice } else { 0 }
    }

    private func union(_ node: PolicyNode) throws(PolicyError) -> UInt64 {
        var bits: UInt64 = 0
        for item in node.oneOrMany() { bits |= try value(item) }
        return bits
    }

    private func value(_ node: PolicyNode) throws(PolicyError) -> UInt64 {
        let text = try node.text("a value")
        if let value = kind.value(named: text) { return value }
        if text == "NULL", kind.style == .pointer { return 0 }
        let number = WholeNumber.parse(text) ?? Quantity.bytes(text)
        guard let number else {
            throw node.unknown("value `\(text)`", name: text, among: kind.constants.map(\.name))
        }
        guard number & ~kind.mask == 0 else { throw node.error("`\(text)` does not fit into \(kind.bits) bits") }
        if let half = UInt32(exactly: number), OwnNumbers.isWord(half) {
            throw node.error("`\(text)` stands for OWN_USER or OWN_GROUP: write that word")
        }
        return number
    }
}
