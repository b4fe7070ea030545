import AnnexBroker
import AnnexBrokerAPI
import AnnexModel
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnexHost

/// Opening URLs: by extensions through their portal, and by the user.
@Suite(.timeLimit(.minutes(20))) struct OpeningTests {
    private static let (any, own, none) = (
        "com.apple.widget-extension", "com.apple.message-payload-provider", "com.apple.share-services"
    )

    private let folder: TemporaryFolder
    /// An embedded broker uses the files of an app in place. An app's files are removed with its object, so these
    /// objects are kept.
    private let kept = KeptApps()

    init() throws { folder = try TemporaryFolder() }

    private func host(_ apps: SubstituteApp...) throws -> AnnexHost {
        var wishes = BrokerConfiguration()
        wishes.patience = .patience
        wishes.holdsBack = false
        wishes.privateDirectories = .folder(folder.url.path + "/private")
        let host = AnnexHost(service: try Broker(wishes))
        for app in apps {
            try host.installAndWait(app: app.path)
            for one in try host.installedAndWait() { try host.setEnabledAndWait(true, for: one.id) }
        }
        return host
    }

    /// An app that records how it was started, with an extension that opens URLs.
    private func app(
        _ identifier: String = "com.example.shout", at point: String = Self.any, schemes: [String]
    ) throws -> SubstituteApp {
        let app = try SubstituteApp(running: "opens-urls")
        kept.apps.withLock { $0.append(app) }
        try app.setPoint(point)
        try app.setIdentifier(identifier)
        try app.setProgram("records-opening")
        try app.setSchemes(schemes)
        return app
    }

    /// - Parameter isAfterAction: whether the host first reports an action of the user.
    private func ask(
        _ host: AnnexHost, _ urls: String, of app: String = "com.example.shout", afterAction isAfterAction: Bool = true
    ) async throws -> String {
        let session = try await host.begin(app + ".loud")
        if isAfterAction { session.noteUserAction() }
        let text = try await session.request([ExtensionItem(contentText: urls)]).first?.contentText
        _ = await session.complete()
        return text ?? ""
    }

    private func record(_ name: String) -> String { folder.url.path + "/" + name }

    /// The text that an app wrote when it was started. This function ends the app.
    private func started(_ name: String) async throws -> [String: String] {
        var text: String?
        while text == nil {
            text = try? String(contentsOfFile: record(name), encoding: .utf8)
            try await Task.sleep(for: .milliseconds(2))
        }
        let pairs = (text ?? "").split(separator: "\n").map { line in
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            return (words[0], words.count > 1 ? words[1] : "")
        }
        let facts = Dictionary(pairs) { first, _ in first }
        if let process = facts["pid"].flatMap({ Int32($0) }) { kill(process, SIGKILL) }
        return facts
    }

    // MARK: By extensions

    @Test func `S6: an extension opens its app outside of the sandbox, and only the URL comes from it`() async throws {
        let host = try host(app(schemes: ["shout"]))
        #expect(try await ask(host, "shout:\(record("own"))") == "com.example.shout")
        let facts = try await started("own")
        #expect(facts["url"] == "shout:\(record("own"))" && facts["arguments"] == "2", "\(facts)")
        #expect(facts["directory"] == "/" && facts["descriptors"] == "[]" && facts["session"] == "true", "\(facts)")
        #expect(facts["user"] == "\(geteuid()) \(geteuid())" && facts["blocked"] == "0", "\(facts)")
        let names = Set((facts["environment"] ?? "").split(separator: " ").map(String.init))
        #expect(
            names.isSuperset(of: ["HOME", "LOGNAME", "PATH", "USER"])
                && names.filter { $0.hasPrefix("ANNEX") } == ["ANNEX_PRIVATE"],
            "\(names)")
    }

    @Test func `S6: a widget opens an app only after the user has acted in it`() async throws {
        let host = try host(app(schemes: ["shout"]))
        let refused = try await ask(host, "shout:\(record("early"))", afterAction: false)
        #expect(refused == "notAllowed")
        #expect(try await ask(host, "shout:\(record("own"))") == "com.example.shout")
        _ = try await started("own")
        #expect(!FileManager.default.fileExists(atPath: record("early")))
    }

    @Test func `S6: a point decides which apps its extensions open`() async throws {
        let other = try app("com.example.other", schemes: ["other"])
        let (all, mine) = (try app(schemes: ["shout"]), try app(at: Self.own, schemes: ["shout"]))
        #expect(try await ask(host(all, other), "other:\(record("any"))") == "com.example.other")
        _ = try await started("any")
        #expect(try await ask(host(mine, other), "other:x shout:\(record("mine"))") == "notAllowed com.example.shout")
        _ = try await started("mine")
        #expect(try await ask(host(app(at: Self.none, schemes: ["shout"])), "shout:x") == "notAllowed")
    }

    @Test func `S6: a text that is no URL of an app opens nothing`() async throws {
        let host = try host(app(schemes: ["shout"]))
        let texts = [
            "file:///etc/passwd", "FILE:/etc/passwd", "javascript:alert(1)",
            "annex-start:background-session/com.example.shout", "ANNEX-START:background-session/com.example.shout",
            "--help", "-x:y", "unknown:x", "shout",
            "shout:a\u{1b}[31m", "shout:\"quoted\"", "shout:$`id`", "shout:" + String(repeating: "a", count: 2048),
        ]
        let codes = try await ask(host, texts.joined(separator: " ")).split(separator: " ")
        #expect(codes.count == texts.count, "\(codes)")
        for (text, code) in zip(texts, codes) {
            #expect(code == (text == "unknown:x" ? "notFound" : "invalid"), "\(text)")
        }
    }

    @Test func `S6: a scheme of two apps opens the own app, and else neither`() async throws {
        let (one, other) = (try app(schemes: ["shout"]), try app("com.example.other", schemes: ["shout"]))
        let third = try app("com.example.third", schemes: ["third"])
        let host = try host(one, other, third)
        #expect(try await ask(host, "shout:\(record("first"))") == "com.example.shout")
        _ = try await started("first")
        #expect(try await ask(host, "shout:x", of: "com.example.third") == "notFound")
        let error = #expect(throws: BrokerError.self) { try host.openAndWait("shout:x") }
        #expect(error?.what.contains("com.example.other and com.example.shout") == true, "\(String(describing: error))")
    }

    @Test func `S6: an extension opens ten URLs in a minute, and no more`() async throws {
        let host = try host(app(schemes: ["shout"]))
        let answers = try await ask(host, Array(repeating: "unknown:x", count: 12).joined(separator: " "))
        #expect(answers.split(separator: " ").filter { $0 == "notFound" }.count == 10 && answers.hasSuffix("full full"))
    }

    // MARK: By the user

    @Test func `S6: an app whose program was replaced or changed is not started`() async throws {
        let app = try app(schemes: ["shout"])
        let host = try host(app)
        let program = try FileHandle(forWritingTo: URL(filePath: app.path + "/Shout"))
        try program.seekToEnd()
        try program.write(contentsOf: Data("more".utf8))
        try program.close()
        let changed = #expect(throws: BrokerError.self) { try host.openAndWait("shout:\(record("changed"))") }
        #expect(changed?.code == .invalidBundle, "\(String(describing: changed))")
        let other = try self.app("com.example.other", schemes: ["other"])
        try await host.install(app: other.path)
        try FileManager.default.removeItem(atPath: other.path + "/Shout")
        try FileManager.default.copyItem(atPath: "/bin/sh", toPath: other.path + "/Shout")
        let replaced = #expect(throws: BrokerError.self) { try host.openAndWait("other:\(record("replaced"))") }
        #expect(replaced?.code == .invalidBundle, "\(String(describing: replaced))")
    }

    @Test func `S6: annex open starts the app through a daemon, which it outlives`() async throws {
        let daemon = try await TestDaemon()
        let app = try app(schemes: ["shout"])
        let installed = try await Program.annex(["install", app.path, "--socket", daemon.socket], in: folder)
        #expect(installed.status == 0, "\(installed)")
        let opened = try await Program.annex(
            ["open", "shout:\(record("by-user"))", "--socket", daemon.socket], in: folder)
        #expect(opened.status == 0 && opened.output == "opened with com.example.shout\n", "\(opened)")
        let facts = try await started("by-user")
        #expect(facts["url"] == "shout:\(record("by-user"))", "\(facts)")
        let unknown = try await Program.annex(["open", "unknown:x", "--json", "--socket", daemon.socket], in: folder)
        #expect(unknown.status == 1 && unknown.errors.contains("is registered by no installed app"), "\(unknown)")
        let wrong = try await Program.annex(["open", "file:///etc/passwd", "--socket", daemon.socket], in: folder)
        #expect(wrong.status == 1 && wrong.errors.contains("opens no app"), "\(wrong)")
    }
}

private final class KeptApps: Sendable {
    let apps = Mutex<[SubstituteApp]>([])
}
