public import AnnexPolicy

/// A policy's answer to a question, as text and as JSON.
public struct Explanation: Sendable {
    /// Whether the call or path is allowed. Nil if the decision depends on arguments, or if the question concerned the
    /// whole policy.
    public let isAllowed: Bool?
    package let lines: [ReportLine]
    package let json: JSON

    package init(isAllowed: Bool?, lines: [ReportLine], json: JSON) {
        self.isAllowed = isAllowed
        self.lines = lines
        self.json = json
    }

    /// The explanation as plain text.
    public var text: String {
        lines.map { String(repeating: "  ", count: $0.indent) + $0.text }.joined(separator: "\n")
    }
}

extension Policy {
    /// Answers a question about this policy. The answer has the line that decides and the layer that enforces this
    /// decision. If the call or path is refused, the answer also has an entry that would allow it.
    public func explanation(of question: PolicyQuestion) -> Explanation {
        switch question {
        case .whole: explainWhole()
        case .call(let call, let given) where given.isEmpty: explainRules(of: call)
        case .call(let call, let given): explain(call, given: given)
        case .path(let path, let rights): explain(path: path, rights)
        }
    }
}

extension Policy {
    /// A page about this policy in Markdown, for the people who rely on it.
    package var manual: String { PolicyManual(policy: self).text }
}

extension PolicyPlace {
    package var json: JSON {
        .object([
            .init("file", value: .text(file)), .init("line", value: .number(line)),
            .init("column", value: .number(column)),
        ])
    }
}

/// One line of a tool's output about policies. The terminal's code decides how each tone looks.
package struct ReportLine: Sendable, Hashable {
    package enum Tone: Sendable, Hashable { case plain, heading, good, bad, faint }

    package let tone: Tone
    /// The number of indentation steps.
    package let indent: Int
    package let text: String

    package init(_ text: String, tone: Tone = .plain, indent: Int = 0) {
        self.text = text
        self.tone = tone
        self.indent = indent
    }
}
