import Foundation
import Testing

/// If the same lines are in two places, the code for one idea has no single place.
@Suite struct DuplicationTests {
    /// The most consecutive meaningful lines that may be the same.
    private static let most = 9

    private struct Place: CustomStringConvertible {
        let file: String
        let line: Int

        var description: String { "\(file):\(line)" }
    }

    @Test func `no ten lines in a row occur twice in the library`() throws {
        var seen: [String: Place] = [:]
        var twice: [String] = []
        for (file, text) in try SourceTree.swiftFiles(in: "Sources").sorted(by: { $0.file < $1.file }) {
            let lines = Self.meaningful(text)
            guard lines.count > Self.most else { continue }
            for start in 0...(lines.count - Self.most - 1) {
                let run = lines[start...(start + Self.most)].map(\.text).joined(separator: "\n")
                let here = Place(file: file, line: lines[start].number)
                if let other = seen[run] { twice.append("\(other) and \(here)") } else { seen[run] = here }
            }
        }
        #expect(twice.isEmpty, "\(twice.joined(separator: "\n"))")
    }

    /// The lines of a text without blank lines, comments, imports and lone brackets.
    private static func meaningful(_ text: String) -> [(number: Int, text: String)] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { number, line in
            let line = line.trimmingCharacters(in: .whitespaces)
            let isThin = line.count < 4 || line.hasPrefix("//") || line.contains("import ")
            return isThin ? nil : (number + 1, line)
        }
    }
}
