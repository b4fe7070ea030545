internal import Foundation

/// A page of which one part is made by a command: what lies between two marks, each alone on its line, once.
public struct MarkedPage {
    public static let begin = "<!-- annex bench table: begin -->"
    public static let end = "<!-- annex bench table: end -->"

    /// Why a page was left as it is.
    public enum Failure: Error, CustomStringConvertible {
        /// Not exactly one of each mark, or in the wrong order.
        case noMarks

        public var description: String {
            "the page has not, once and in this order, the lines \(MarkedPage.begin) and \(MarkedPage.end)"
        }
    }

    private let lines: [Substring]
    private let marks: (begin: Int, end: Int)

    public init(_ text: String) throws(Failure) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let begins = lines.indices.filter { lines[$0] == MarkedPage.begin }
        let ends = lines.indices.filter { lines[$0] == MarkedPage.end }
        guard begins.count == 1, ends.count == 1, begins[0] < ends[0] else { throw .noMarks }
        self.lines = lines
        marks = (begins[0], ends[0])
    }

    /// The page with another text between its marks.
    public func holding(_ text: String) -> String {
        let before = lines[...marks.begin].joined(separator: "\n")
        let after = lines[marks.end...].joined(separator: "\n")
        return before + "\n" + text + (text.hasSuffix("\n") ? "" : "\n") + after
    }

    /// Puts a text into a file's marked part, at once or not at all.
    public static func write(_ text: String, into path: String) throws {
        let url = URL(filePath: path)
        let page = try MarkedPage(String(contentsOf: url, encoding: .utf8))
        try Data(page.holding(text).utf8).write(to: url, options: .atomic)
    }
}
