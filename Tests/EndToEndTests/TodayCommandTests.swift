import AnnexTestSupport
import Foundation
import Testing

/// `annex today`, as a shell sees it.
@Suite(.timeLimit(.minutes(20))) struct TodayCommandTests {
    private let folder: TemporaryFolder
    private let app: SubstituteApp

    init() throws {
        folder = try TemporaryFolder()
        app = try SubstituteApp(running: "shows-a-widget")
        try app.setPoint("com.apple.widget-extension")
    }

    private func today(_ words: String...) async throws -> Program {
        try await Program.annex(["today", "--app", app.path] + words, in: folder)
    }

    @Test func `the widgets of an app are drawn as cards`() async throws {
        let ran = try await today("--width", "30")
        #expect(ran.status == 0, "\(ran)")
        let lines = ran.output.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("╭─ ") ?? false, "\(ran)")
        #expect(
            Array(lines.dropFirst()) == [
                "│ updates 1                  │", "│ appeared                   │", "│ [1] Act                    │",
                "╰────────────────────────────╯",
            ])
    }

    @Test func `a widget is told the size of its card`() async throws {
        let ran = try await today("--width", "54", "--expanded", "--json")
        #expect(ran.status == 0, "\(ran)")
        for word in [
            "\"result\": \"newData\"", "\"displayMode\": \"expanded\"", "\"height\": 800", "\"failure\": null",
        ] {
            #expect(ran.output.contains(word), "\(word) in \(ran)")
        }
    }

    @Test func `a widget that cannot be launched has a card with the reason`() async throws {
        let broken = try SubstituteApp(running: "acts")
        try broken.setPoint("com.apple.widget-extension")
        try broken.setIdentifier("com.example.broken")
        let ran = try await today("--app", broken.path)
        #expect(ran.status == 1 && ran.output.contains("updates 1"), "\(ran)")
        #expect(ran.output.components(separatedBy: "╭─ ").count == 3, "\(ran)")
    }

    @Test func `an unknown widget, a width out of bounds and a missing app are errors`() async throws {
        let unknown = try await today("--only", "com.example.none")
        #expect(unknown.status == 1 && unknown.errors.contains("com.example.none: is no widget"), "\(unknown)")
        #expect(try await today("--width", "19").status == 64)
        #expect(try await today("--app", folder.url.path + "/None.app").status == 1)
    }
}
