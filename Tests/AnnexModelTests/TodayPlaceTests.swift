import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexModel

/// What apps leave for the Today views of their user.
@Suite(.timeLimit(.minutes(20))) struct TodayPlaceTests {
    private let folder: TemporaryFolder
    private let place: TodayPlace

    init() throws {
        folder = try TemporaryFolder()
        place = try TodayPlace(folder.url.path + "/today")
    }

    private let widget = "com.example.weather.today"

    @Test func `a widget has content until its app says otherwise`() throws {
        #expect(place.hasContent(widget))
        for _ in 0..<2 { try place.setHasContent(false, of: widget) }
        #expect(!place.hasContent(widget) && place.hasContent("com.example.other"))
        #expect(try !TodayPlace(place.path).hasContent(widget), "another view sees it")
        for _ in 0..<2 { try place.setHasContent(true, of: widget) }
        #expect(place.hasContent(widget))
    }

    @Test(arguments: ["../escape", "a/b", "", ".", "..", String(repeating: "x", count: 300), "a\nb"])
    func `an identifier that is no file name leaves no mark`(identifier: String) throws {
        #expect(throws: SystemError.self) { try place.setHasContent(false, of: identifier) }
        #expect(throws: SystemError.self) { try place.setHasContent(true, of: identifier) }
        #expect(place.hasContent(identifier))
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.marks).isEmpty)
    }

    @Test func `a folder that others can write to is refused`() throws {
        chmod(place.marks, 0o777)
        #expect(throws: SystemError.self) { try TodayPlace(place.path) }
    }
}
