/// One line of what a tool says about policies; how it looks is the terminal's affair.
package struct ReportLine: Sendable, Hashable {
    package enum Tone: Sendable, Hashable { case plain, heading, good, bad, faint }

    package let tone: Tone
    /// Steps to the right.
    package let indent: Int
    package let text: String

    package init(_ text: String, _ tone: Tone = .plain, indent: Int = 0) {
        self.text = text
        self.tone = tone
        self.indent = indent
    }
}
