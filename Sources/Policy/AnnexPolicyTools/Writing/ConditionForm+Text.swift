internal import AnnexPolicy

extension ConditionForm {
    /// The condition in the policy's language, for example `{ has: [MAP_PRIVATE], without: [PROT_EXEC] }`.
    var text: String {
        let text = shapeText
        return isWholeRegister ? "{ register: \(text) }" : text
    }

    private var shapeText: String {
        switch shape {
        case .values(let values):
            guard case .flags = kind.style, values.count == 1, let value = values.first, value != 0,
                let names = kind.names(of: value)
            else { return Self.list(values.map(name)) }
            return "{ exactly: \(Self.list(names)) }"
        case .only(let choices, let flags):
            return "{ only: [\((choices.map(name) + (kind.names(of: flags) ?? [])).joined(separator: ", "))] }"
        case .bits(let has, let without):
            let sides = [("has", has), ("without", without)].filter { $0.1 != 0 }
            let texts = sides.map { "\($0.0): \(Self.list(kind.names(of: $0.1) ?? []))" }
            return "{ \(texts.joined(separator: ", ")) }"
        case .masked(let mask, let values):
            return "{ mask: \(WholeNumber.hexadecimal(mask)), is: \(Self.list(values.map(WholeNumber.hexadecimal))) }"
        case .ordered(let word, let bound):
            return "{ \(word): \(name(bound)) }"
        }
    }

    private static func list(_ items: [String]) -> String {
        items.count == 1 ? items[0] : "[\(items.joined(separator: ", "))]"
    }

    /// A value as the name of its constant, or as a number if it has none: decimal below 4096, otherwise hexadecimal.
    func name(_ value: UInt64) -> String {
        if let constant = kind.constants.first(where: { $0.value == value }) { return constant.name }
        return value < 4096 ? String(value) : WholeNumber.hexadecimal(value)
    }
}

extension ConditionForm {
    /// The condition as the end of a sentence after the argument's name, for example `has MAP_PRIVATE and is without
    /// PROT_EXEC`.
    var words: String {
        let words = shapeWords
        return isWholeRegister ? words + " (all 64 bits compared, of which the kernel reads 32)" : words
    }

    private var shapeWords: String {
        switch shape {
        case .values(let values): return "is " + Self.joined(values.map(described), by: "or")
        case .only(let choices, let flags):
            let names = kind.names(of: flags) ?? []
            let rest = names.isEmpty ? "no flag" : "no flag beside " + Self.joined(names, by: "and")
            return choices.isEmpty ? "has \(rest)" : "is \(Self.joined(choices.map(name), by: "or")) with \(rest)"
        case .bits(let has, let without):
            let wanted = Self.joined(kind.names(of: has) ?? [], by: "and")
            let barred = Self.joined(kind.names(of: without) ?? [], by: "or")
            if without == 0 { return "has \(wanted)" }
            return has == 0 ? "is without \(barred)" : "has \(wanted) and is without \(barred)"
        case .masked(let mask, let values):
            let shown = Self.joined(values.map(WholeNumber.hexadecimal), by: "or")
            return "is \(shown) in the bits \(WholeNumber.hexadecimal(mask))"
        case .ordered(let word, let bound):
            let said = ["not": "is not", "atMost": "is at most", "atLeast": "is at least"][word] ?? "is \(word)"
            return "\(said) \(name(bound))"
        }
    }

    private func described(_ value: UInt64) -> String {
        if case .flags = kind.style { return kind.describe(value) }
        return kind.style == .pointer && value == 0 ? "NULL" : name(value)
    }

    /// The items as a list in a sentence: `a, b and c`.
    static func joined(_ items: [String], by word: String) -> String {
        guard let last = items.last, items.count > 1 else { return items.first ?? "nothing" }
        return items.dropLast().joined(separator: ", ") + " \(word) " + last
    }
}
