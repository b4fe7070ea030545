import AnnexEmbedded
import AnnexHost
import AnnexTestSupport
import Foundation
import Testing

/// `annex top`: the running extensions, as other processes see them.
@Suite(.timeLimit(.minutes(20))) struct TopTests {
    private let app: SubstituteApp
    private let folder: TemporaryFolder

    init() throws {
        app = try SubstituteApp(running: "works-on")
        folder = try TemporaryFolder()
    }

    private func looks(_ arguments: String...) async throws -> [[String: Any]] {
        let ran = try await Program.annex(["top"] + arguments, in: folder)
        #expect(ran.status == 0 && ran.errors.isEmpty, "\(ran)")
        return try ran.output.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(ran)")
        }
    }

    /// The entry of this test. It is found by its program, because other tests of this process have extensions of the
    /// same name.
    private func own(_ look: [String: Any]) throws -> [String: Any]? {
        var wanted = stat()
        guard stat(app.path + "/PlugIns/Loud.appex/Loud", &wanted) == 0 else { return nil }
        let all = try #require(look["extensions"] as? [[String: Any]])
        return all.first { entry in
            var found = stat()
            guard entry["host"] as? Int == Int(getpid()), let process = entry["process"] as? Int else { return false }
            return stat("/proc/\(process)/exe", &found) == 0 && found.st_ino == wanted.st_ino
                && found.st_dev == wanted.st_dev
        }
    }

    @Test func `an extension is shown with its state and its use of resources`() async throws {
        let host = try AnnexHost.embedded(apps: [app.path], patience: .patience)
        let session = try await host.begin(SubstituteApp.identifier)
        _ = try await session.request([ExtensionItem(contentText: "looks 1")])
        let idle = try #require(try own(try await looks("--once", "--json", "--interval", "0.1")[0]))
        #expect(idle["identifier"] as? String == SubstituteApp.identifier && idle["state"] as? String == "idle")
        #expect(idle["policy"] as? String == "com.apple.ui-services")
        #expect(idle["answers"] as? Int == 1 && idle["processor"] as? Double == 0, "\(idle)")
        #expect(idle["memory"] as? Int ?? 0 > 4096 && idle["messagesPerSecond"] as? Double == 0, "\(idle)")
        let working = Task { try await session.request([ExtensionItem(contentText: "looks 20000")]) }
        // The loop ends when the request was sent and the extension is shown at work. The time depends on the machine.
        var busy = idle
        while busy["state"] as? String != "working" || busy["processor"] as? Double ?? 0 == 0 {
            busy = try #require(try own(try await looks("--once", "--json", "--interval", "1")[0]))
        }
        #expect(busy["processor"] as? Double ?? 0 < 1.5, "\(busy)")
        _ = await session.cancel()
        _ = try? await working.value
        #expect(try own(try await looks("--once", "--json", "--interval", "0.05")[0]) == nil)
    }

    @Test func `an extension of a daemon is shown with its host and its broker`() async throws {
        let daemon = try await TestDaemon()
        let host = try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
        try await host.install(app: app.path)
        let session = try await host.begin(SubstituteApp.identifier)
        let look = try await looks("--once", "--json", "--interval", "0.05")[0]
        let all = try #require(look["extensions"] as? [[String: Any]])
        let shown = try #require(all.first { $0["broker"] as? Int == Int(daemon.number) }, "\(all)")
        #expect(shown["host"] as? Int == Int(getpid()), "\(shown)")
        #expect(await session.complete().reason == .completed)
    }

    @Test func `a table is plain without a terminal`() async throws {
        let host = try AnnexHost.embedded(apps: [app.path], patience: .patience)
        let session = try await host.begin(SubstituteApp.identifier)
        let ran = try await Program.annex("top", "--once", "--interval", "0.05", in: folder)
        #expect(ran.status == 0 && !ran.output.contains("\u{1B}"), "\(ran)")
        let lines = ran.output.split(separator: "\n")
        #expect(lines.count >= 3 && lines[1].contains("MEMORY"), "\(ran)")
        #expect(
            lines.contains { $0.split(separator: " ").first == "\(getpid())" && $0.hasSuffix("shout.loud") }, "\(ran)")
        #expect(lines.allSatisfy { $0.count <= 100 }, "\(ran)")
        _ = await session.complete()
    }

    @Test func `an impossible interval is refused`() async throws {
        for words in ["0", "-1", "nan", "1e9", "x"] {
            #expect(try await Program.annex("top", "--once", "--interval=\(words)", in: folder).status == 64)
        }
        let help = try await Program.annex("top", "--help", in: folder)
        #expect(help.status == 0 && help.output.contains("EXIT STATUS"))
    }
}
