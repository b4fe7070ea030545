import AnnexHost
import AnnexTestSupport
import AnnexTesting
import Foundation
import Testing

/// The product with which authors test their hosts and extensions.
@Suite(.timeLimit(.minutes(20))) struct TestAppTests {
    private static var layout: String {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Examples/Shout/Shout.app").path
    }

    private static let files = ["Shout.app": "ShoutApp", "Loud.appex": "Shout"]

    @Test func `an app of built programs answers in its sandbox`() async throws {
        let app = try TestApp(layout: Self.layout, files: Self.files)
        let session = try await AnnexHost.testing(app).begin("com.example.shout.loud")
        let answer = try await session.request([ExtensionItem(contentText: "hello")])
        #expect(answer.first?.contentText == "HELLO")
        #expect(await session.complete().reason == .completed)
    }

    @Test func `an extension that computes without end ends for the same reason as with any other host`() async throws {
        let (policies, app) = (try TemporaryFolder(), try SubstituteApp(running: "works-on"))
        // The processor limit is shorter than the patience. The launch is not what this test is about.
        let text = """
            policy: com.apple.ui-services
            summary: Short limits.
            includes: [resources]
            limits: { launch: 600s, request: 10s, watchdog: 500ms, processor: 1s }
            """
        try Data(text.utf8).write(to: policies.url.appending(path: "com.apple.ui-services.yaml"))
        let host = try AnnexHost.testing(apps: [app.path], policies: policies.url.path, patience: .seconds(3))
        let session = try await host.begin(SubstituteApp.identifier)
        do {
            _ = try await session.request([ExtensionItem(contentText: "spins")])
            Issue.record("it answered")
        } catch HostError.ended(let end) {
            #expect(end.reason == .unresponsive, "\(end)")
        }
    }

    @Test func `the app is removed with its object`() throws {
        var app: TestApp? = try TestApp(layout: Self.layout, files: Self.files)
        let path = try #require(app?.path)
        #expect(FileManager.default.fileExists(atPath: path + "/Info.plist"))
        app = nil
        let folder = URL(filePath: path).deletingLastPathComponent().path
        #expect(app == nil && !FileManager.default.fileExists(atPath: folder))
    }

    @Test func `a missing program is an error that names it`() throws {
        let programs = try TemporaryFolder()
        let error = try #require(throws: TestAppError.self) {
            try TestApp(layout: Self.layout, programs: programs.url.path)
        }
        #expect(error.description.contains(programs.url.path), "\(error)")
    }

    @Test func `a test may end an extension again and again without a pause`() async throws {
        let app = try SubstituteApp(running: "crashes-as-told")
        let host = try AnnexHost.testing(apps: [app.path])
        for _ in 0..<8 {
            let session = try await host.begin(SubstituteApp.identifier)
            await #expect(throws: HostError.self) {
                try await session.request([ExtensionItem(contentText: "aborts")])
            }
            #expect(await session.complete().reason == .crashed)
        }
    }
}
