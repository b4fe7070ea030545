import BenchKit
import Foundation
import Testing

@Suite struct MarkedPageTests {
    private static let page = "# A\n\n\(MarkedPage.begin)\nold\n\(MarkedPage.end)\n\nrest\n"

    @Test func `only what lies between the marks changes`() throws {
        let page = try MarkedPage(Self.page).holding("| new |\n")
        #expect(page == "# A\n\n\(MarkedPage.begin)\n| new |\n\(MarkedPage.end)\n\nrest\n")
        #expect(try MarkedPage(page).holding("| new |") == page, "a second time changes nothing")
    }

    @Test(
        arguments: [
            "# A\n", "\(MarkedPage.begin)\n", "\(MarkedPage.end)\n\(MarkedPage.begin)\n",
            page + page, "x \(MarkedPage.begin)\n\(MarkedPage.end)\n",
        ])
    func `a page without its marks is left alone`(text: String) throws {
        #expect(throws: MarkedPage.Failure.self) { try MarkedPage(text) }
        let path = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(text.utf8).write(to: URL(filePath: path))
        #expect(throws: MarkedPage.Failure.self) { try MarkedPage.write("table", into: path) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }
}
