import AnnexTestSupport
import Foundation
import Testing

/// `annex key` and `annex sign`, as a shell sees them.
@Suite(.timeLimit(.minutes(20))) struct SignCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func annex(_ arguments: String...) async throws -> Program {
        try await Program.run(
            "annex", arguments, in: folder, environment: ["XDG_CONFIG_HOME": folder.url.appending(path: "config").path])
    }

    private func object(_ ran: Program) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(ran.output.utf8)) as? [String: Any], "\(ran)")
    }

    @Test func `without a key of its own a user is told how to make one`() async throws {
        let app = try MadeApp("com.example.made", carrying: ["com.example.made.part"])
        let ran = try await annex("sign", app.path)
        #expect(ran.status == 1 && ran.errors.contains("annex key new TEAM"), "\(ran)")
    }

    @Test func `P8: a key is made, an app signed, and the signature checked`() async throws {
        let app = try MadeApp("com.example.made", carrying: ["com.example.made.part"])
        let made = try await annex("key", "new", "Example Pictures")
        #expect(made.status == 0 && made.errors.isEmpty && made.output.contains("team.key.pub"), "\(made)")
        let team = try object(await annex("key", "show", "--json"))
        #expect(team["name"] as? String == "Example Pictures")
        let identifier = try #require(team["identifier"] as? String)
        #expect(identifier.count == 10 && made.output.contains(identifier))
        #expect(try await annex("sign", "--check", app.path).status == 1)
        let signed = try await annex("sign", app.path)
        #expect(signed.status == 0 && signed.errors.isEmpty, "\(signed)")
        #expect(signed.output.contains("team     Example Pictures (\(identifier))\nfiles    4\n"), "\(signed)")
        let checked = try await annex("sign", "--check", app.path)
        #expect(checked.status == 0 && checked.output == signed.output)
        let json = try object(await annex("sign", "--check", app.path, "--json"))
        #expect(json["files"] as? Int == 4 && (json["contentDigest"] as? String)?.count == 64)
        #expect((json["team"] as? [String: Any])?["identifier"] as? String == identifier)
        try Data("x".utf8).write(to: URL(filePath: "\(app.path)/more"))
        try FileManager.default.removeItem(atPath: "\(app.path)/PlugIns/Part0.appex/Info.plist")
        let changed = try await annex("sign", "--check", app.path)
        #expect(changed.status == 1 && changed.output.isEmpty)
        #expect(changed.errors.contains("\n  more: is not part of the signed app\n"), "\(changed)")
        #expect(changed.errors.contains("\n  PlugIns/Part0.appex/Info.plist: is missing\n"), "\(changed)")
    }

    @Test func `P8: the example Pictures is signed and refused after one byte of a file changed`() async throws {
        let app = folder.url.appending(path: "Pictures.app")
        try FileManager.default.copyItem(atPath: ExampleBundles.path(of: "Pictures.app"), toPath: app.path)
        let daemon = try await TestDaemon()
        let install = ["install", app.path, "--socket", daemon.socket]
        let installed = try await Program.annex(install, in: folder)
        #expect(installed.status == 0 && installed.errors.contains("is signed by Example Team"), "\(installed)")
        let editor = app.appending(path: "PlugIns/PictureEditor.appex/Info.plist")
        let text = try String(contentsOf: editor, encoding: .utf8)
        try Data(text.replacing("Pictures — Editor", with: "Pictures — Editot").utf8).write(to: editor)
        let refused = try await Program.annex(install, in: folder)
        #expect(refused.status == 1 && refused.output.isEmpty, "\(refused)")
        #expect(refused.errors.contains("PlugIns/PictureEditor.appex/Info.plist: has other contents"), "\(refused)")
        let listed = try await Program.annex(["list", "--socket", daemon.socket], in: folder)
        #expect(listed.output.contains("com.example.pictures.editor"), "the installed app stays")
        try Data(text.utf8).write(to: editor)
        #expect(try await Program.annex(install, in: folder).status == 0)
    }

    @Test func `P8: keys are shown from both files and never overwritten`() async throws {
        let made = try await annex("key", "new", "Team", "--out", "a.key", "--json")
        let publicKey = try #require(try object(made)["publicKey"] as? String)
        let secret = try String(contentsOf: folder.url.appending(path: "a.key"), encoding: .utf8).suffix(65).dropLast()
        for file in ["a.key", "a.key.pub"] {
            let shown = try await annex("key", "show", file)
            #expect(shown.status == 0 && shown.output.contains(publicKey) && !shown.output.contains(secret), "\(shown)")
        }
        let again = try await annex("key", "new", "Team", "--out", "a.key")
        #expect(again.status == 1 && again.errors.contains("never overwritten"), "\(again)")
        #expect(try await annex("key", "show", "/dev/null").status == 1)
        #expect(try await annex("key", "show").status == 1)
        #expect(try await annex("key", "new", "two\nlines", "--out", "b.key").status == 1)
        #expect(folder.names == ["a.key", "a.key.pub"])
    }

    @Test func `P8: a file that cannot be signed is named and the command line is checked`() async throws {
        let app = try MadeApp("com.example.made")
        #expect(try await annex("key", "new", "Team", "--out", "key").status == 0)
        symlink("/etc/passwd", "\(app.path)/link")
        let link = try await annex("sign", app.path, "--key", "key")
        #expect(link.status == 1 && link.errors.contains("link that leads out"), "\(link)")
        #expect(try await annex("sign", "/dev/null/None.app", "--key", "key").status == 1)
        #expect(try await annex("sign", app.path, "--key", "missing").errors.contains("ENOENT"))
        #expect(try await annex("sign", app.path, "--check", "--key", "key").status == 64)
        for words in [["key"], ["key", "new"], ["key", "show"], ["sign"]] {
            let help = try await Program.annex(words + ["--help"], in: folder)
            #expect(help.status == 0 && help.output.contains("EXAMPLES"), "\(help)")
            #expect(try await Program.annex(words + ["--no-such-option"], in: folder).status == 64)
        }
    }
}
