import AnnexEmbedded
import AnnexHost
import AnnexTestSupport
import Foundation
import Testing

/// A host's own extension points, from their files to an answer.
@Suite(.timeLimit(.minutes(20))) struct PointTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let point = "com.example.thumbnails"

    private func write(_ text: String, to file: String) throws -> String {
        let file = folder.url.appending(path: file)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        return file.deletingLastPathComponent().path
    }

    private func points(policy: String = "compute", _ more: String = "") throws -> String {
        try write(
            "point: \(Self.point)\nname: Thumbnails\nsummary: Draws.\npolicy: \(policy)\n\(more)",
            to: "points/\(Self.point).yaml")
    }

    private func app() throws -> SubstituteApp {
        let app = try SubstituteApp(running: "works-on")
        try app.setPoint(Self.point)
        return app
    }

    @Test func `a host with a point of its own calls the extension for it`() async throws {
        let examples = try ExampleBundles.folder.get()
        for name in ["Thumbnails.app", "Points"] {
            try FileManager.default.createSymbolicLink(
                at: folder.url.appending(path: name), withDestinationURL: examples.appending(path: name))
        }
        let text = folder.url.appending(path: "a.txt").path
        try Data("Swift on\nLinux\n".utf8).write(to: URL(filePath: text))
        var run = try await Program.run("ThumbnailHost", [text], in: folder)
        // The example has the policy's limit of one second for the launch. On a busy machine, a launch may take longer,
        // so the test repeats it.
        while run.errors.contains("Limit") || run.errors.contains("unresponsive") {
            run = try await Program.run("ThumbnailHost", [text], in: folder)
        }
        #expect(run.output == "\(text), Documents — Text:\n▪▪▪▪▪·▪▪\n▪▪▪▪▪\n\n", "\(run)")
    }

    @Test func `a host of its own points offers their extensions under their policy and limits`() async throws {
        let policies = try write(
            "policy: drawing\nsummary: As compute, with less memory.\nincludes: [compute]\nlimits: { memory: 96M }\n",
            to: "policies/drawing.yaml")
        let host = try AnnexHost.embedded(
            points: points(policy: "drawing", "limits: { instances: 2 }\n"), policies: policies, patience: .patience)
        let app = try app()
        #expect(try await host.install(app: app.path).first?.isOffered == true)
        let session = try await host.begin(SubstituteApp.identifier, as: Self.point)
        #expect(try await session.request([ExtensionItem(contentText: "x")]).isEmpty == false)
        let report = session.launchReport
        #expect(report.policy == "drawing" && report.memoryLimit == 96 << 20)
        #expect(report.limits.first { $0.name == "instances" }?.bound == "2", "\(report.limits)")
        let end = await session.complete()
        #expect(end.reason == .completed, "\(end)")
    }

    @Test func `a point of one host is unsupported at another`() throws {
        let app = try app()
        let host = try AnnexHost.embedded(patience: .patience)
        let rejection = try #require(try host.installAndWait(app: app.path).first?.rejection)
        #expect(rejection.code == .unsupportedPoint && "\(rejection)".contains(Self.point), "\(rejection)")
    }

    @Test func `annexd offers the points of its folders`() async throws {
        let daemon = try await TestDaemon(["--points", points()])
        let host = try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
        let app = try app()
        #expect(try await host.install(app: app.path).first?.isOffered == true)
        let session = try await host.begin(SubstituteApp.identifier, as: Self.point)
        #expect(await session.complete().reason == .completed)
        // Without the host's own points, the same app stays installed, but its extension is unsupported.
        #expect(await daemon.end() == .exited(0))
        let other = try await TestDaemon(in: daemon.folder)
        let next = try AnnexHost.connectAndWait(to: other.socket, patience: .patience)
        #expect(try await next.installed().map(\.rejection?.code) == [.unsupportedPoint])
    }

    @Test func `a broken point or policy keeps a broker from starting and is named with its line`() async throws {
        let broken = try points("defalt: off\n")
        let error = #expect(throws: BrokerError.self) { try AnnexHost.embedded(points: broken, patience: .patience) }
        #expect(error?.code == .invalidPoint && error?.place.hasSuffix("\(Self.point).yaml:5:1") == true)
        #expect(error?.remedy == "did you mean `default`?")
        let daemon = try await TestDaemon(["--points", broken])
        #expect(!daemon.isRunning && daemon.log.contains("unknown key `defalt`"), "\(daemon.log)")
        let missing = try points(policy: "comptue")
        let other = #expect(throws: BrokerError.self) { try AnnexHost.embedded(points: missing, patience: .patience) }
        #expect(other?.remedy == "did you mean `compute`?", "\(String(describing: other))")
        let nothing = #expect(throws: BrokerError.self) {
            try AnnexHost.embedded(policies: "/nonexistent", patience: .patience)
        }
        #expect(
            nothing?.code == .invalidPolicy && nothing?.place == "/nonexistent"
                && nothing?.what == "there is no such folder")
    }

    private static let wrong = "policy: drawing\nsummary: Draws.\nincludes: [compute]\nlimits: { memry: 64M }\n"

    @Test(arguments: ["drawing", "compute"])
    func `a mistake in any policy of the host keeps a broker from starting`(
        named: String
    ) async throws {
        let (points, policies) = (try points(policy: named), try write(Self.wrong, to: "policies/drawing.yaml"))
        let error = #expect(throws: BrokerError.self) {
            try AnnexHost.embedded(points: points, policies: policies, patience: .patience)
        }
        #expect(error?.code == .invalidPolicy && error?.remedy == "did you mean `memory`?")
        #expect(error?.place.hasSuffix("policies/drawing.yaml:4:11") == true, "\(String(describing: error))")
        let daemon = try await TestDaemon(["--points", points, "--policies", policies])
        await eventually { !daemon.isRunning }
        #expect(await daemon.end() == .exited(1))
        #expect(daemon.log.contains("drawing.yaml:4:11: unknown limit `memry`"), "\(daemon.log)")
    }

    @Test func `a daemon goes on after SIGHUP if a policy is wrong`() async throws {
        let points = try points(policy: "drawing")
        let policies = try write(Self.wrong.replacing("memry", with: "memory"), to: "policies/drawing.yaml")
        let daemon = try await TestDaemon(["--points", points, "--policies", policies])
        let host = try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
        let app = try app()
        try await host.install(app: app.path)
        let session = try await host.begin(SubstituteApp.identifier)
        _ = try write(Self.wrong, to: "policies/drawing.yaml")
        daemon.signal(SIGHUP)
        await eventually { daemon.log.contains("does not start anew") }
        #expect(daemon.log.contains("drawing.yaml:4:11: unknown limit `memry`"), "\(daemon.log)")
        #expect(try await !session.request([ExtensionItem(contentText: "counts")]).isEmpty && daemon.starts == 1)
        _ = try write(Self.wrong.replacing("memry", with: "memory"), to: "policies/drawing.yaml")
        daemon.signal(SIGHUP)
        await eventually { daemon.starts == 2 }
        #expect(await daemon.end() == .exited(0))
    }

    @Test func `P5: an extension of a point that is off by default waits for its user`() async throws {
        let app = try SubstituteApp(running: "works-on")
        try app.setPoint("com.apple.keyboard-service")
        let host = try AnnexHost.embedded(patience: .patience)
        let installed = try #require(try await host.install(app: app.path).first)
        #expect(!installed.isEnabled && installed.rejection == nil && host.extensionsAndWait().isEmpty)
        await #expect(throws: HostError.self) { try await host.begin(SubstituteApp.identifier) }
        try await host.setEnabled(true, for: SubstituteApp.identifier)
        // An update keeps the user's choice.
        #expect(try await host.install(app: app.path).map(\.isEnabled) == [true])
        #expect(await (try host.begin(SubstituteApp.identifier)).complete().reason == .completed)
        try await host.remove(app: "com.example.shout")
        #expect(try await host.install(app: app.path).map(\.isEnabled) == [false])
    }

    @Test func `P5: the choices of the user outlast the daemon, on and off`() async throws {
        let daemon = try await TestDaemon(["--points", points("default: off\n")])
        let apps = try (app(), MadeApp("com.example.made", carrying: ["com.example.made.part"]))
        let host = try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
        #expect(try await host.install(app: apps.0.path).map(\.isEnabled) == [false])
        #expect(try await host.install(app: apps.1.path).map(\.isEnabled) == [true])
        try await host.setEnabled(true, for: SubstituteApp.identifier)
        try await host.setEnabled(false, for: "com.example.made.part")
        #expect(await daemon.end() == .exited(0))
        let other = try await TestDaemon(in: daemon.folder, ["--points", points("default: off\n")])
        let next = try AnnexHost.connectAndWait(to: other.socket, patience: .patience)
        let enabled = try await next.installed().map { ($0.id, $0.isEnabled) }
        #expect(enabled.map(\.0) == ["com.example.made.part", SubstituteApp.identifier])
        #expect(enabled.map(\.1) == [false, true])
    }
}
