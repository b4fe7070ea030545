/// What a policy says to a question, in words and for programs.
public struct Explanation: Sendable {
    /// Whether what was asked about is allowed; nil where that depends, or the whole policy was asked about.
    public let isAllowed: Bool?
    package let lines: [ReportLine]
    package let json: JSON

    package init(isAllowed: Bool?, lines: [ReportLine], json: JSON) {
        self.isAllowed = isAllowed
        self.lines = lines
        self.json = json
    }

    /// The words alone.
    public var text: String {
        lines.map { String(repeating: "  ", count: $0.indent) + $0.text }.joined(separator: "\n")
    }
}

extension Policy {
    /// What this policy says to a question, with the line that says so, the layer that holds it, and what would allow
    /// what it refuses.
    public func explanation(of question: PolicyQuestion) -> Explanation {
        switch question {
        case .whole: explainWhole()
        case .call(let call, let given) where given.isEmpty: explainRules(of: call)
        case .call(let call, let given): explain(call, given: given)
        case .path(let path, let rights): explain(path: path, rights)
        }
    }
}

extension PolicyPlace {
    package var json: JSON {
        .object([
            .init("file", .text(file)), .init("line", .number(line)), .init("column", .number(column)),
        ])
    }
}
