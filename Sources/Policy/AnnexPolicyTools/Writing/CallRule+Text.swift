internal import AnnexLinux
package import AnnexPolicy

extension CallRule {
    /// The entries of a group's `calls:` that state this rule. There are several if a condition has no single form.
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

    /// The conditions in a sentence, for example `flags has MAP_PRIVATE, and prot is without PROT_EXEC`.
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
        case .refuse(let errno, reported: true): "refused with \(Errno.name(errno)) and reported"
        case .refuse(let errno, reported: false): "refused with \(Errno.name(errno))"
        case .end: "the end of the process"
        case .aborting: "the process's own end by abort()"
        }
    }

    /// The same phrase, with the budget that the broker counts such calls against.
    func words(within bound: CallBound?) -> String {
        bound.map { "\(words) within the bounds of \($0.rawValue)" } ?? words
    }

    /// The answer as one word: `allow`, an errno's name, `end` or `abort`.
    package var word: String {
        switch self {
        case .allow: "allow"
        case .refuse(let errno, _): Errno.name(errno)
        case .end: "end"
        case .aborting: "abort"
        }
    }
}
