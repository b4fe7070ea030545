import AnnexTestSupport
import Foundation
import Testing

/// The README's listings are programs that run. The test compares each listing with its example.
@Suite(.timeLimit(.minutes(20))) struct ReadmeTests {
    private let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private func listing(holding mark: String) throws -> String {
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let blocks = readme.components(separatedBy: "```swift\n").dropFirst()
        let texts = blocks.compactMap { $0.components(separatedBy: "```").first }
        return try #require(texts.first { $0.contains(mark) })
    }

    @Test(arguments: [
        ("AnnexHost.embedded", "Examples/Shout/ShoutHost/main.swift"),
        ("AppExtension {", "Examples/Shout/Shout/Shout.swift"),
    ])
    func `a listing of the README equals its example`(mark: String, file: String) throws {
        let example = try String(contentsOf: root.appending(path: file), encoding: .utf8)
        #expect(try listing(holding: mark) == example)
    }

    @Test func `the ten-line host calls the ten-line extension`() async throws {
        let folder = try TemporaryFolder()
        let app = try ExampleBundles.path(of: "Shout.app")
        try FileManager.default.createSymbolicLink(
            atPath: folder.url.appending(path: "Shout.app").path, withDestinationPath: app)
        var run = try await Program.run("ShoutHost", [], in: folder)
        // The example has the policy's limit of one second for the launch. On a busy machine, a launch may take longer,
        // so the test repeats it.
        while run.errors.contains("launchLimit") { run = try await Program.run("ShoutHost", [], in: folder) }
        #expect(run.output == "HELLO\ncompleted\n", "\(run.errors)")
    }
}
