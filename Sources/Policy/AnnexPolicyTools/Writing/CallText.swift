internal import AnnexLinux
package import AnnexPolicy

extension CallRule {
    /// The entries of a group's `calls:` that state this rule. If a condition has no single form, there are several
    /// entries.
    package func entries(for architecture: Architecture) -> [String] {
        let call = SystemCall(named: self.call, architecture: architecture) ?? SystemCall(named: self.call)
        let choices: [[String]] = conditions.reduce([[]]) { choices, condition in
            let forms = ConditionForm.forms(of: condition, of: call)
            let name = CallRule.argumentName(condition.index, of: call)
            return choices.flatMap { choice in forms.map { choice + ["\(name): \($0.text)"] } }
        }
        return choices.map { choice in
            choice.isEmpty ? self.call : "{ call: \(self.call), when: { \(choice.joined(separator: ", ")) } }"
        }
    }

    /// The conditions as a phrase, for example `flags has MAP_PRIVATE, and prot is without PROT_EXEC`.
    func words(for architecture: Architecture) -> String {
        let call = SystemCall(named: self.call, architecture: architecture)
        let said = conditions.map { condition in
            let name = CallRule.argumentName(condition.index, of: call)
            let forms = ConditionForm.forms(of: condition, of: call)
            return "`\(name)` " + forms.map(\.words).joined(separator: ", or ")
        }
        return said.isEmpty ? "always" : "when " + said.joined(separator: ", and ")
    }

    /// The argument's name under `when:`, or its number if it has no name.
    static func argumentName(_ index: Int, of call: SystemCall?) -> String {
        let known = call?.arguments ?? []
        return index < known.count ? known[index].name : String(index)
    }
}

extension CallAnswer {
    /// The answer as a phrase, for example `refused with EPERM`.
    package var words: String {
        switch self {
        case .allow: "allowed"
        case .deny(errno: 0, _): "not performed, and answered with 0"
        case .deny(let errno, reported: true): "refused with \(Errno.name(errno)) and reported"
        case .deny(let errno, reported: false): "refused with \(Errno.name(errno))"
        case .end: "the end of the process"
        case .aborting: "the process's own end by abort()"
        }
    }

    /// The same phrase, with the bound that the broker enforces for the calls.
    func words(within bound: CallBound?) -> String {
        bound.map { "\(words) within the bounds of \($0.rawValue)" } ?? words
    }

    /// The answer as one word: `allow`, an errno's name, `0`, `end` or `abort`.
    package var word: String {
        switch self {
        case .allow: "allow"
        case .deny(let errno, _): Errno.name(errno)
        case .end: "end"
        case .aborting: "abort"
        }
    }
}

/// Reads the arguments of a call as people write them: `flags=O_WRONLY|O_CREAT`, `size=4K`, `0=3`.
struct ArgumentText {
    let call: SystemCall

    /// The register that a name or a number means.
    func index(_ name: String, at place: PolicyPlace?) throws(PolicyError) -> Int {
        let known = (call.arguments ?? []).map(\.name)
        if let index = known.firstIndex(of: name) { return index }
        if let number = WholeNumber.parse(name), number < 6 { return Int(number) }
        throw PolicyError(
            "unknown argument `\(name)` of `\(call.name)`"
                + (known.isEmpty ? "; its registers are 0 to 5" : " (\(known.joined(separator: ", ")))"),
            at: place, suggestion: NearestName.of(name, among: known))
    }

    /// The register's value. The text has names and numbers that are joined by `|`.
    func value(_ text: String, of index: Int, at place: PolicyPlace?) throws(PolicyError) -> UInt64 {
        let known = call.arguments ?? []
        let kind = index < known.count ? known[index].kind : .register
        var value: UInt64 = 0
        for part in text.split(separator: "|", omittingEmptySubsequences: false) {
            value |= try one(part.trimmed, kind: kind, at: place)
        }
        return value
    }

    private func one(_ text: String, kind: ArgumentKind, at place: PolicyPlace?) throws(PolicyError) -> UInt64 {
        if let value = kind.value(named: text) { return value }
        if text == "NULL" { return 0 }
        // Users write file modes in octal.
        if kind.style == .octal, text.utf8.allSatisfy({ $0 >= 0x30 && $0 < 0x38 }), let mode = UInt64(text, radix: 8) {
            return mode
        }
        if text.hasPrefix("-"), let number = Int64(text) { return UInt64(bitPattern: number) & kind.mask }
        if !text.isEmpty, let number = WholeNumber.parse(text) ?? Quantity.bytes(text) { return number }
        let names = kind.constants.map(\.name)
        throw PolicyError("unknown value `\(text)`", at: place, suggestion: NearestName.of(text, among: names))
    }
}

extension Substring {
    /// The text without blanks at its start and end.
    var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
