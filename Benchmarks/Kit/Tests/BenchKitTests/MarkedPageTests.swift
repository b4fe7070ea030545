import BenchKit
import Foundation
import Testing

@Suite struct MarkedPageTests {
    private static let table = MarkedPage.Part.table
    private static let figures = MarkedPage.Part.figures
    private static let page = "# A\n\n\(table.begin)\nold\n\(table.end)\n\nrest\n"

    @Test func `only the text between the marks changes`() throws {
        let page = try MarkedPage(Self.page).holding { _ in "| new |\n" }
        #expect(page == "# A\n\n\(Self.table.begin)\n| new |\n\(Self.table.end)\n\nrest\n")
        #expect(try MarkedPage(page).holding { _ in "| new |" } == page, "a second time changes nothing")
    }

    @Test func `each part of a page gets its own text, in any order`() throws {
        let page = Self.page + "\(Self.figures.begin)\n\(Self.figures.end)"
        let filled = try MarkedPage(page).holding { $0.rawValue }
        #expect(
            filled == "# A\n\n\(Self.table.begin)\ntable\n\(Self.table.end)\n\nrest\n"
                + "\(Self.figures.begin)\nfigures\n\(Self.figures.end)")
    }

    @Test(
        arguments: [
            "# A\n", "\(table.begin)\n", "\(table.end)\n\(table.begin)\n", page + page,
            "x \(table.begin)\n\(table.end)\n", "\(table.begin)\n\(figures.end)\n", page + "\(figures.begin)\n",
            "\(table.begin)\n\(figures.begin)\n\(figures.end)\n\(table.end)\n",
        ])
    func `a page without its marks is left alone`(text: String) throws {
        #expect(throws: MarkedPage.Failure.self) { try MarkedPage(text) }
        let path = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(text.utf8).write(to: URL(filePath: path))
        #expect(throws: MarkedPage.Failure.self) { try MarkedPage.write(into: path) { _ in "table" } }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }
}
