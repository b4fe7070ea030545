import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexModel

/// What apps leave for the Today views of their user.
@Suite(.timeLimit(.minutes(20))) struct SharedTodayFolderTests {
    private let folder: TemporaryFolder
    private let shared: SharedTodayFolder

    init() throws {
        folder = try TemporaryFolder()
        shared = try SharedTodayFolder(folder.url.path + "/today")
    }

    private let widget = "com.example.weather.today"

    @Test func `a widget has content until its app says otherwise`() throws {
        #expect(shared.hasContent(widget))
        for _ in 0..<2 { try shared.setHasContent(false, of: widget) }
        #expect(!shared.hasContent(widget) && shared.hasContent("com.example.other"))
        #expect(try !SharedTodayFolder(shared.path).hasContent(widget), "another view sees it")
        for _ in 0..<2 { try shared.setHasContent(true, of: widget) }
        #expect(shared.hasContent(widget))
    }

    @Test(arguments: ["../escape", "a/b", "", ".", "..", String(repeating: "x", count: 300), "a\nb"])
    func `an identifier that is no file name leaves no mark`(identifier: String) throws {
        #expect(throws: SystemError.self) { try shared.setHasContent(false, of: identifier) }
        #expect(throws: SystemError.self) { try shared.setHasContent(true, of: identifier) }
        #expect(shared.hasContent(identifier))
        #expect(try FileManager.default.contentsOfDirectory(atPath: shared.marks).isEmpty)
    }

    @Test func `a folder that others can write to is refused`() throws {
        chmod(shared.marks, 0o777)
        #expect(throws: SystemError.self) { try SharedTodayFolder(shared.path) }
    }
}
