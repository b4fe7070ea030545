internal import AnnexPolicy

/// One line of a tool's output about policies. The terminal's code decides how each tone looks.
package struct ReportLine: Sendable, Hashable {
    package enum Tone: Sendable, Hashable { case plain, heading, good, bad, faint }

    package let tone: Tone
    /// The number of indentation steps.
    package let indent: Int
    package let text: String

    package init(_ text: String, _ tone: Tone = .plain, indent: Int = 0) {
        self.text = text
        self.tone = tone
        self.indent = indent
    }
}
