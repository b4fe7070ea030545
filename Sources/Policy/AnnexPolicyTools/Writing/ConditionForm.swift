internal import AnnexPolicy

/// The form in which the comparisons of one argument are shown to people. This type is the inverse of
/// `ComparisonReader`, which reads comparisons from a policy's text.
struct ConditionForm: Sendable, Hashable {
    enum Shape: Sendable, Hashable {
        /// The argument has exactly one of these values.
        case values([UInt64])
        /// Only flags of `flags` may be set. Some arguments also have a field of several bits that holds one value,
        /// such as the access mode of `open`. This field holds one of `choices`.
        case only(choices: [UInt64], flags: UInt64)
        case bits(has: UInt64, without: UInt64)
        case masked(mask: UInt64, values: [UInt64])
        case ordered(word: String, bound: UInt64)
    }

    let shape: Shape
    let kind: ArgumentKind
    /// Whether all 64 bits are compared, although the kernel reads only 32 bits.
    let isWholeRegister: Bool
}

extension ConditionForm {
    /// - Returns: nil if no single form expresses the comparisons. Then each comparison has its own form.
    init?(_ comparisons: [Comparison], kind: ArgumentKind) {
        isWholeRegister = comparisons.contains { !$0.isReadable(within: kind) }
        self.kind = isWholeRegister ? kind.whole : kind
        guard let shape = Self.shape(of: comparisons, kind: self.kind) else { return nil }
        self.shape = shape
    }

    /// The forms that together express a condition. The condition holds if one of the forms holds.
    static func forms(of condition: CallCondition, of call: SystemCall?) -> [ConditionForm] {
        let known = call?.arguments ?? []
        let kind = condition.index < known.count ? known[condition.index].kind : .register
        let each = condition.alternatives.compactMap { ConditionForm([$0], kind: kind) }
        guard let form = ConditionForm(condition.alternatives, kind: kind) else { return each }
        return form.isNumbers && each.allSatisfy { !$0.isNumbers } ? each : [form]
    }

    /// Whether the form shows numbers for flags that may have names. A form does so if no single form with names
    /// expresses all comparisons together. A separate form for each comparison may still show the names.
    private var isNumbers: Bool {
        guard case .masked(let mask, _) = shape, case .flags(let choice) = kind.style else { return false }
        return mask & choice == 0
    }

    private static func shape(of comparisons: [Comparison], kind: ArgumentKind) -> Shape? {
        if comparisons.count == 1, let word = comparisons[0].word {
            return .ordered(word: word.word, bound: word.bound)
        }
        var mask: UInt64?
        var values: [UInt64] = []
        for comparison in comparisons {
            guard case .masked(let other, let value) = comparison, mask ?? other == other else { return nil }
            mask = other
            values.append(value)
        }
        guard let mask else { return nil }
        if mask == kind.mask { return .values(values) }
        return only(mask, values: values, kind: kind) ?? bits(mask, values: values, kind: kind)
            ?? .masked(mask: mask, values: values)
    }

    private static func only(_ mask: UInt64, values: [UInt64], kind: ArgumentKind) -> Shape? {
        guard case .flags(let choice) = kind.style else { return nil }
        let flags = kind.mask & ~mask
        guard flags & choice == 0, kind.names(of: flags) != nil, values.allSatisfy({ $0 & ~choice == 0 }) else {
            return nil
        }
        if choice == 0 { return values == [0] ? .only(choices: [], flags: flags) : nil }
        let areNamed = values.allSatisfy { value in kind.constants.contains { $0.value == value } }
        return areNamed ? .only(choices: values, flags: flags) : nil
    }

    private static func bits(_ mask: UInt64, values: [UInt64], kind: ArgumentKind) -> Shape? {
        guard case .flags(let choice) = kind.style, values.count == 1, let has = values.first else { return nil }
        // The bits of `choice` hold one value, so the form compares all of them together. With `has`, a policy cannot
        // say that this value is 0. So no form with `has` is possible if the value is 0.
        guard mask & choice == 0 || mask & choice == choice && has & choice != 0 else { return nil }
        let without = mask & ~has & ~choice
        guard kind.names(of: has) != nil, kind.names(of: without) != nil else { return nil }
        return .bits(has: has, without: without)
    }
}

extension ArgumentKind {
    /// The names that together make up these bits; nil if one of the bits has no name.
    func names(of bits: UInt64) -> [String]? {
        guard case .flags(let choice) = style else { return nil }
        var names: [String] = []
        if bits & choice != 0 {
            guard let chosen = constants.first(where: { $0.value == bits & choice }) else { return nil }
            names.append(chosen.name)
        }
        var rest = bits & ~choice
        // Constants with the most set bits come first, as in `ArgumentKind.describe`.
        let flags = constants.filter { $0.value & ~choice != 0 && $0.value & choice == 0 }
        for flag in flags.sorted(by: { $0.value.nonzeroBitCount > $1.value.nonzeroBitCount })
        where rest & flag.value == flag.value {
            names.append(flag.name)
            rest &= ~flag.value
        }
        return rest == 0 ? names : nil
    }
}

extension Comparison {
    fileprivate var word: (word: String, bound: UInt64)? {
        switch self {
        case .masked: nil
        case .not(let bound): ("not", bound)
        case .below(let bound): ("below", bound)
        case .atMost(let bound): ("atMost", bound)
        case .above(let bound): ("above", bound)
        case .atLeast(let bound): ("atLeast", bound)
        }
    }

    /// Whether a policy can state the comparison without the word `register`. This word compares all 64 bits of the
    /// argument.
    fileprivate func isReadable(within kind: ArgumentKind) -> Bool {
        switch self {
        case .masked(let mask, _): mask & ~kind.mask == 0
        case .below(let bound), .atMost(let bound): bound & ~kind.mask == 0
        case .not, .above, .atLeast: kind.bits == 64
        }
    }
}

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

    /// A value as the name of its constant. If the value has no constant, the text is a number: decimal below 4096,
    /// otherwise hexadecimal.
    func name(_ value: UInt64) -> String {
        if let constant = kind.constants.first(where: { $0.value == value }) { return constant.name }
        return value < 4096 ? String(value) : WholeNumber.hexadecimal(value)
    }
}

extension ConditionForm {
    /// The condition as the end of a sentence that starts with the argument's name, for example `has MAP_PRIVATE and is
    /// without PROT_EXEC`.
    var words: String {
        let words = shapeWords
        return isWholeRegister ? words + " (all 64 bits compared, of which the kernel reads 32)" : words
    }

    private var shapeWords: String {
        switch shape {
        case .values(let values): return "is " + Self.joined(values.map(described), by: "or")
        case .only(let choices, let flags):
            let names = kind.names(of: flags) ?? []
            let rest = names.isEmpty ? "no flag" : "no flag besides " + Self.joined(names, by: "and")
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
