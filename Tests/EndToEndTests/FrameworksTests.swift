import AnnexEmbedded
import AnnexHost
import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

/// `Frameworks` of an app in the sandbox of its extension. The extension can read this folder, but no other part of the app. The tests are
/// the same for both kinds of broker.
@Suite(.timeLimit(.minutes(20))) struct FrameworksTests {
    private let app: SubstituteApp
    private var frameworks: String { app.path + "/Frameworks" }

    init() throws {
        app = try SubstituteApp(running: "works-on")
        // The policy allows the calls that write, so that only mounts and Landlock deny the writes.
        try app.setPoint("com.apple.photo-editing")
    }

    /// Puts a table into `Frameworks` of the app, and another table beside that folder.
    private func makeFrameworks(in app: String, saying text: String = "ours") throws {
        try FileManager.default.createDirectory(
            atPath: app + "/Frameworks/Filters", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        try Data(text.utf8).write(to: URL(filePath: app + "/Frameworks/Filters/table"))
        for file in ["", "/Filters"] { chmod(app + "/Frameworks" + file, 0o755) }
        chmod(app + "/Frameworks/Filters/table", 0o644)
    }

    private func embedded() throws -> AnnexHost {
        try AnnexHost.embedded(apps: [app.path], patience: .patience, holdsBack: false)
    }

    private func withHost(_ door: Door, _ body: (AnnexHost) async throws -> Void) async throws {
        switch door {
        case .embedded: try await body(embedded())
        case .connected:
            let (host, daemon) = try await door.open()
            try await host.install(app: app.path)
            try await body(host)
            withExtendedLifetime(daemon) {}
        }
    }

    /// The texts of the answer to one request in a separate session.
    private func ask(_ host: AnnexHost, _ words: String) async throws -> [String] {
        let session = try await host.begin(SubstituteApp.identifier)
        let answer = try await session.request([ExtensionItem(contentText: words)])
        let end = await session.complete()
        #expect(end.reason == .completed, "\(end)")
        return answer.map { $0.contentText ?? "" }
    }

    @Test(arguments: Door.allCases) func `P1: an extension reads the shared resources of its app and changes nothing`(
        door: Door
    ) async throws {
        try makeFrameworks(in: app.path)
        try await withHost(door) { (host) async throws in
            #expect(try await ask(host, "reads Filters/table") == ["ours", "/frameworks"])
            #expect(try await ask(host, "writes Filters/table").first?.hasPrefix("errno") == true)
            #expect(try await ask(host, "reads ../Info.plist").first == "errno \(ENOENT)", "the app is not there")
            #expect(try await ask(host, "reads ../bundle/../etc/passwd").first == "errno \(ENOENT)")
        }
    }

    @Test(arguments: Door.allCases) func `P1: without shared resources the extension has none`(door: Door) async throws
    {
        try await withHost(door) { (host) async throws in
            #expect(try await ask(host, "reads Filters/table").last == "none")
        }
    }

    @Test(arguments: Door.allCases) func `SEAL-09: an app whose Frameworks is a link is refused`(
        door: Door
    ) async throws {
        try FileManager.default.createSymbolicLink(atPath: frameworks, withDestinationPath: "/etc")
        let error = try #require(throws: BrokerError.self) { try embedded() }
        #expect(error.code == .invalidBundle && error.what.contains("Frameworks"), "\(error)")
        await #expect(throws: BrokerError.self) { try await withHost(door) { _ in } }
    }

    @Test func `SEAL-09: Frameworks that were changed or exchanged after the installation are not shown`() async throws
    {
        try makeFrameworks(in: app.path)
        let changes: [() throws -> Void] = [
            { try FileManager.default.removeItem(atPath: frameworks) },
            {
                try FileManager.default.moveItem(atPath: frameworks, toPath: app.path + "/Old")
                try makeFrameworks(in: app.path, saying: "theirs")
            },
            {
                try FileManager.default.moveItem(atPath: frameworks, toPath: app.path + "/Older")
                try FileManager.default.createSymbolicLink(atPath: frameworks, withDestinationPath: "/etc")
            },
        ]
        for change in changes {
            if !FileManager.default.fileExists(atPath: frameworks) { try makeFrameworks(in: app.path) }
            let host = try embedded()
            try change()
            let error = await host.rejection()
            #expect(error?.code == .invalidBundle && error?.what.contains("/Frameworks has changed") == true)
            #expect(error?.remedy == "install the app again")
        }
    }

    @Test func `SEAL-09: apps that are exchanged during launches never show the other Frameworks`() async throws {
        try makeFrameworks(in: app.path)
        let other = app.path.replacing("/Shout.app", with: "/Other.app")
        try FileManager.default.copyApp(at: URL(filePath: app.path), to: URL(filePath: other))
        try makeFrameworks(in: other, saying: "theirs")
        let host = try embedded()
        let folder = try Descriptor.directory((app.path as NSString).deletingLastPathComponent)
        let exchanging = Task.detached {
            while !Task.isCancelled {
                try folder.exchange("Shout.app", with: "Other.app")
                await Task.yield()
            }
        }
        var shown: Set<String> = []
        // If a launch finds the other app in place, it is rejected. Some launches find the correct app.
        var rounds = 0
        while rounds < 20 || shown.isEmpty {
            if let text = try? await ask(host, "reads Filters/table").first { shown.insert(text) }
            rounds += 1
        }
        exchanging.cancel()
        try await exchanging.value
        #expect(shown == ["ours"], "\(shown)")
    }
}
