import AnnexHost
import AnnexTestSupport
import Foundation
import Testing

/// The trust decisions of a daemon's users. They persist after the daemon's end, and no failure may reduce them.
@Suite(.timeLimit(.minutes(20))) struct TrustTests {
    private let app: SubstituteApp
    private let folder: TemporaryFolder

    init() async throws {
        app = try SubstituteApp(running: "works-on")
        folder = try TemporaryFolder()
        for team in ["ours", "theirs"] {
            #expect(try await Program.annex(["key", "new", team, "--out", team], in: folder).status == 0)
        }
        try await sign(by: "ours")
    }

    private func sign(by team: String) async throws {
        #expect(try await Program.annex(["sign", app.path, "--key", team], in: folder).status == 0)
    }

    private func annex(_ daemon: TestDaemon, _ arguments: String...) async throws -> Program {
        try await Program.annex(arguments + ["--socket", daemon.socket], in: folder)
    }

    private func trustFile(_ daemon: TestDaemon) throws -> URL {
        let found = FileManager.default.enumerator(atPath: daemon.store.path)?.compactMap { $0 as? String }
        return daemon.store.appending(path: try #require(found?.first { $0.hasSuffix("trust") }))
    }

    @Test func `P8: a killed daemon keeps its pins and its signed apps`() async throws {
        let daemon = try await TestDaemon()
        let installed = try await annex(daemon, "install", app.path)
        #expect(
            installed.status == 0 && installed.errors.contains("com.example.shout is signed by ours ("), "\(installed)")
        #expect(try await annex(daemon, "key", "trust", "ours.pub").status == 0)
        _ = await daemon.end(SIGKILL)
        let next = try await TestDaemon(in: daemon.folder)
        let list = try await annex(next, "list", "--json")
        #expect(list.output.contains("\"name\": \"ours\"") && list.output.contains("\"trusted\": true"), "\(list)")
        let host = try AnnexHost.connectAndWait(to: next.socket, patience: .patience)
        #expect(try await host.begin(SubstituteApp.identifier).complete().reason == .completed)
        try await sign(by: "theirs")
        let refused = try await annex(next, "install", app.path)
        #expect(refused.status == 1 && refused.errors.contains("theirs ("), "\(refused)")
        let trusted = try await annex(next, "key", "trust", "theirs.pub", "--app", "com.example.shout", "--json")
        #expect(trusted.status == 0 && trusted.output.contains("\"com.example.shout\""), "\(trusted)")
        #expect(try await annex(next, "install", app.path).status == 0)
    }

    @Test func `P8: a pin of an app that was never installed does not outlive a kill`() async throws {
        let daemon = try await TestDaemon()
        #expect(try await annex(daemon, "install", app.path).status == 0)
        let file = try trustFile(daemon)
        let text = try String(contentsOf: file, encoding: .utf8)
        _ = await daemon.end(SIGKILL)
        // These files remain if the daemon is killed after it writes the pin and before it writes the index. There is
        // also a draft of another change.
        try Data(text.replacingOccurrences(of: "com.example.shout", with: "com.example.gone").utf8).write(to: file)
        try Data("annex-tr".utf8).write(to: file.appendingPathExtension("new"))
        let next = try await TestDaemon(in: daemon.folder)
        #expect(try await annex(next, "list").output.contains(SubstituteApp.identifier))
        // The daemon made the pin of the installed app again from the app's seal.
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
        try await sign(by: "theirs")
        #expect(try await annex(next, "install", app.path).status == 1)
    }

    @Test func `P8: without its list of teams a daemon serves nothing to that user`() async throws {
        let daemon = try await TestDaemon()
        #expect(try await annex(daemon, "install", app.path).status == 0)
        let file = try trustFile(daemon)
        _ = await daemon.end(SIGKILL)
        try Data("rubbish".utf8).write(to: file)
        let next = try await TestDaemon(in: daemon.folder)
        let list = try await annex(next, "list")
        #expect(list.status == 1 && list.errors.contains("/trust") && list.errors.contains("move it away"), "\(list)")
        #expect(try await annex(next, "install", app.path).status == 1)
        #expect(try String(contentsOf: file, encoding: .utf8) == "rubbish")
    }

    @Test func `P8: the example app is signed and one changed byte in it is refused`() async throws {
        let daemon = try await TestDaemon()
        let copy = folder.url.appending(path: "Pictures.app")
        try FileManager.default.copyItem(at: URL(filePath: try ExampleBundles.path(of: "Pictures.app")), to: copy)
        let checked = try await Program.annex(["sign", "--check", copy.path], in: folder)
        #expect(checked.status == 0 && checked.output.contains("Example Team ("), "\(checked)")
        let editor = copy.appending(path: "PlugIns/PictureEditor.appex/PictureEditor")
        let file = try #require(FileHandle(forUpdatingAtPath: editor.path))
        try file.seek(toOffset: 4096)
        let byte = try #require(try file.read(upToCount: 1)?.first)
        try file.seek(toOffset: 4096)
        try file.write(contentsOf: Data([byte ^ 1]))
        try file.close()
        let refused = try await annex(daemon, "install", copy.path)
        #expect(refused.status == 1 && refused.errors.contains("PictureEditor: has other contents"), "\(refused)")
        #expect(try await annex(daemon, "list").output.isEmpty)
    }

    @Test func `P8: the command line of key trust is checked`() async throws {
        let help = try await Program.annex(["key", "trust", "--help"], in: folder)
        #expect(help.status == 0 && help.output.contains("EXAMPLES"))
        #expect(try await Program.annex(["key", "trust"], in: folder).status == 64)
        let none = try await Program.annex(["key", "trust", "ours.pub", "--socket", "/dev/null/none"], in: folder)
        #expect(none.status == 69, "\(none)")
        let daemon = try await TestDaemon()
        for words in [["missing.pub"], ["ours"], ["ours.pub", "--app", "a b"]] {
            let ran = try await Program.annex(["key", "trust"] + words + ["--socket", daemon.socket], in: folder)
            #expect(ran.status == 1 && !ran.errors.isEmpty && ran.output.isEmpty, "\(ran)")
        }
    }
}
