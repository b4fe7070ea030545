internal import Foundation

/// A page with parts that `annex bench table` makes. Such a part lies between two marks. Each mark stands alone on a
/// line, and occurs once.
public struct MarkedPage {
    /// The parts that can be made for a page.
    public enum Part: String, CaseIterable, Sendable {
        /// The few figures of `FiguresTable`.
        case figures
        /// Every table of `MarkdownTable`.
        case table

        public var begin: String { "<!-- annex bench \(rawValue): begin -->" }
        public var end: String { "<!-- annex bench \(rawValue): end -->" }
    }

    /// The reason why a page was left unchanged.
    public enum Failure: Error, CustomStringConvertible {
        /// Either the page has no part, or the marks of a part are wrong. A part must have exactly one of each mark in
        /// the right order, and must not lie inside another part.
        case noMarks

        public var description: String {
            let pairs = Part.allCases.map { "\($0.begin) and \($0.end)" }.joined(separator: ", or ")
            return "the page must have the lines \(pairs), each once and in this order"
        }
    }

    private let lines: [Substring]
    /// The parts in their order on the page.
    private let parts: [(part: Part, begin: Int, end: Int)]

    public init(_ text: String) throws(Failure) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var parts: [(part: Part, begin: Int, end: Int)] = []
        for part in Part.allCases {
            let begins = lines.indices.filter { lines[$0] == part.begin }
            let ends = lines.indices.filter { lines[$0] == part.end }
            if begins.isEmpty && ends.isEmpty { continue }
            guard begins.count == 1, ends.count == 1, begins[0] < ends[0] else { throw .noMarks }
            parts.append((part, begins[0], ends[0]))
        }
        parts.sort { $0.begin < $1.begin }
        guard !parts.isEmpty, zip(parts, parts.dropFirst()).allSatisfy({ $0.end < $1.begin }) else { throw .noMarks }
        self.lines = lines
        self.parts = parts
    }

    /// The page with another text in each of its parts.
    public func holding(_ text: (Part) throws -> String) rethrows -> String {
        var page = ""
        var next = 0
        for (part, begin, end) in parts {
            page += lines[next...begin].joined(separator: "\n") + "\n"
            let made = try text(part)
            page += made + (made.hasSuffix("\n") ? "" : "\n")
            next = end
        }
        return page + lines[next...].joined(separator: "\n")
    }

    /// Fills all parts of a file at once. If a part cannot be filled, the file is not changed.
    public static func write(into path: String, _ text: (Part) throws -> String) throws {
        let url = URL(filePath: path)
        let page = try MarkedPage(String(contentsOf: url, encoding: .utf8))
        try Data(page.holding(text).utf8).write(to: url, options: .atomic)
    }
}
