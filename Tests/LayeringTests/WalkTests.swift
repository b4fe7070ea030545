import Foundation
import Testing

/// Compares the three walks of `Docs/Design/Architecture.md` with the sources. A walk is a table of files. A newcomer
/// opens these files to follow one request, one launch or one denied call.
@Suite struct WalkTests {
    @Test(arguments: ["A", "B", "C"]) func `each file of a walk lies in the target of its row`(name: String) throws {
        for step in try Walk(name, in: Self.page()).steps {
            let folder = try #require(HousePlan.folder(of: step.target), "no target is named \(step.target)")
            let absent = Set(step.files).subtracting(SourceTree.fileNames(in: folder))
            #expect(absent.isEmpty, "\(step.target) has no \(absent.sorted())")
        }
    }

    @Test(arguments: ["A", "B", "C"]) func `the page states how many files a walk has`(name: String) throws {
        let walk = try Walk(name, in: Self.page())
        #expect(walk.files.count > 20, "the page has another form")
        #expect(walk.stated == walk.files.count)
    }

    /// The rows of the tables "To add …" that name a target. Rows about tests, pages and policies name files of many
    /// folders.
    @Test func `each file that a table of CONTRIBUTING names lies in the target of its row`() throws {
        let page = try String(contentsOf: SourceTree.root.appending(path: "CONTRIBUTING.md"), encoding: .utf8)
        let rows = page.components(separatedBy: "\n### To add ").dropFirst().flatMap { section in
            Walk.rows(of: section[..<(section.range(of: "\n##")?.lowerBound ?? section.endIndex)])
        }
        #expect(rows.count > 60, "the page has another form")
        for row in rows {
            let folders = row.target.split(separator: ", ").compactMap { HousePlan.folder(of: String($0)) }
            guard !folders.isEmpty else { continue }
            let present = folders.reduce(into: Set<String>()) { $0.formUnion(SourceTree.fileNames(in: $1)) }
            let named = row.files.filter {
                $0.wholeMatch(of: /[\w+]+\.(swift|c|h)/) != nil && $0 != "NameCommand.swift"
            }
            #expect(Set(named).subtracting(present).isEmpty, "\(row.target) lacks one of \(named)")
        }
    }

    @Test func `a row without a target belongs to the target above, and a file counts once`() throws {
        let page = """
            ### Walk A: a request

            It begins in `Elsewhere.swift`. The walk has 3
            files.

            | target | files | what happens there |
            |---|---|---|
            | One | `A.swift`, `b.c` | `call` begins |
            | | `A.swift` | it goes on |
            | Two | `A.swift` | it ends |

            ### Walk B: a launch

            | target | files | what happens there |
            |---|---|---|
            | Three | `C.swift` | it begins |
            """
        let walk = try Walk("A", in: page)
        #expect(walk.steps.map(\.target) == ["One", "One", "Two"])
        #expect(walk.steps.map(\.files) == [["A.swift", "b.c"], ["A.swift"], ["A.swift"]])
        #expect(walk.files == ["One/A.swift", "One/b.c", "Two/A.swift"])
        #expect(walk.stated == 3)
    }

    private static func page() throws -> String {
        try String(contentsOf: SourceTree.root.appending(path: "Docs/Design/Architecture.md"), encoding: .utf8)
    }
}

/// One walk as the page shows it.
private struct Walk {
    struct Step {
        let target: String
        let files: [String]
    }

    /// The rows of its table.
    let steps: [Step]
    /// The number of files that the text above the table states.
    let stated: Int?

    init(_ name: String, in page: String) throws {
        let heading = try #require(page.range(of: "### Walk \(name): "), "the page has no walk \(name)")
        let rest = page[heading.upperBound...]
        let section = rest[..<(rest.range(of: "\n##")?.lowerBound ?? rest.endIndex)]
        stated = section.firstMatch(of: /The walk has (\d+)\s+files/).flatMap { Int($0.1) }
        steps = Self.rows(of: section)
    }

    /// The rows of the tables in a part of a page.
    static func rows(of section: Substring) -> [Step] {
        var target = ""
        return section.split(separator: "\n").filter { $0.hasPrefix("| ") }.compactMap { row in
            let cells = row.split(separator: "|", omittingEmptySubsequences: false)
            guard cells.count == 5 else {
                Issue.record("a row has three cells: \(row)")
                return nil
            }
            let first = cells[1].trimmingCharacters(in: .whitespaces)
            if !first.isEmpty { target = first }
            return first == "target"
                ? nil : Step(target: target, files: cells[2].matches(of: /`([^`]+)`/).map { String($0.1) })
        }
    }

    /// Every file once, with its target, because two targets may have files of the same name.
    var files: Set<String> {
        Set(steps.flatMap { step in step.files.map { "\(step.target)/\($0)" } })
    }
}
