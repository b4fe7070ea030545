import AnnexHost
import AnnexTestSupport
import Foundation
import Testing

/// `annex install`, `list`, `disable`, `enable` and `remove`, as a shell sees them.
@Suite(.timeLimit(.minutes(20))) struct InstallCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func annex(_ daemon: TestDaemon, _ arguments: String...) async throws -> Program {
        try await Program.annex(arguments + ["--socket", daemon.socket], in: folder)
    }

    private func object(_ ran: Program) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(ran.output.utf8)) as? [String: Any], "\(ran)")
    }

    private func ids(_ ran: Program) -> [String] {
        ran.output.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
    }

    @Test func `P5: an app is installed, listed, switched off and on, and removed`() async throws {
        let daemon = try await TestDaemon()
        let app = try SubstituteApp(running: "works-on")
        let none = try await annex(daemon, "list")
        #expect(none.status == 0 && none.output.isEmpty && none.errors.isEmpty, "\(none)")
        let installed = try await annex(daemon, "install", app.path)
        #expect(installed.status == 0 && installed.errors.isEmpty, "\(installed)")
        #expect(installed.output == "\(SubstituteApp.identifier)  com.apple.ui-services  Shout — Loud\n")
        #expect(try await annex(daemon, "list").output == installed.output)
        // The command must switch the extension off for every host.
        let host = try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
        let session = try await host.begin(SubstituteApp.identifier)
        #expect(try await annex(daemon, "disable", SubstituteApp.identifier).status == 0)
        await eventually { session.termination != nil }
        #expect(session.termination?.reason == .disabled)
        #expect(try await annex(daemon, "list").output.isEmpty)
        #expect(
            try await annex(daemon, "list", "--all").output
                == "\(SubstituteApp.identifier)  off  com.apple.ui-services  Shout — Loud\n")
        let point = ["--point", "com.apple.photo-editing"]
        #expect(try await annex(daemon, "list", "--all", point[0], point[1]).output.isEmpty)
        #expect(try await annex(daemon, "enable", SubstituteApp.identifier).status == 0)
        #expect(ids(try await annex(daemon, "list")) == [SubstituteApp.identifier])
        #expect(ids(try await annex(daemon, "list", "--point", "com.apple.ui-services")).count == 1)
        #expect(ids(try await annex(daemon, "list", "--point", "com.apple.photo-editing")).isEmpty)
        #expect(try await annex(daemon, "remove", "com.example.shout").status == 0)
        #expect(await host.extensions().isEmpty)
    }

    @Test func `a rejected app is named with its cause and the others are installed`() async throws {
        let daemon = try await TestDaemon()
        let apps = try ["a", "b"].map { try MadeApp("com.example.\($0)", carrying: ["com.example.\($0).part"]) }
        let installed = try await annex(daemon, "install", apps[0].path, "/dev/null/None.app", apps[1].path)
        #expect(installed.status == 1 && ids(installed) == ["com.example.a.part", "com.example.b.part"])
        #expect(installed.errors.contains("/dev/null/None.app") && installed.errors.contains("ENOTDIR"), "\(installed)")
        let broken = try MadeApp("com.example.c", carrying: ["com.other.part"])
        let rejected = try await annex(daemon, "install", broken.path)
        #expect(rejected.status == 1 && rejected.errors.contains("(P3)") && rejected.errors.contains("Info.plist"))
        #expect(rejected.output.isEmpty)
        let name = "com.example.c/PlugIns/Part0.appex"
        let all = try await annex(daemon, "list", "--all")
        #expect(all.output.contains("\(name)  rejected ") && all.errors.contains("(P3)"), "\(all)")
        #expect(!ids(try await annex(daemon, "list")).contains(name))
        #expect(try await annex(daemon, "remove", "com.example.c").status == 0)
        for command in ["disable", "enable"] {
            let ran = try await annex(daemon, command, "com.example.nobody", "com.example.a.part", "--json")
            #expect(ran.status == 1 && ran.errors.contains("com.example.nobody: is not installed"), "\(ran)")
            #expect(try object(ran)[command + "d"] as? [String] == ["com.example.a.part"])
        }
        let removed = try await annex(daemon, "remove", "com.example.nobody", "com.example.a", "--json")
        #expect(removed.status == 1 && removed.errors.contains("installed apps: com.example.a, com.example.b"))
        #expect(try object(removed)["removed"] as? [String] == ["com.example.a"])
        #expect(try await listed(daemon) == [Self.part(of: "com.example.b", isEnabled: true)])
        try await turnOffOneOfTwo(daemon, apps[0])
        let escape = try await annex(daemon, "remove", "\u{1B}[31m")
        #expect(escape.status == 1 && !escape.errors.contains("\u{1B}"), "\(escape)")
    }

    /// The list must contain an extension that was switched off.
    private func turnOffOneOfTwo(_ daemon: TestDaemon, _ app: MadeApp) async throws {
        _ = try await annex(daemon, "install", app.path)
        _ = try await annex(daemon, "disable", "com.example.b.part")
        let on = Self.part(of: "com.example.a", isEnabled: true)
        #expect(try await listed(daemon) == [on])
        #expect(try await listed(daemon, "--all") == [on, Self.part(of: "com.example.b", isEnabled: false)])
    }

    private struct Listed: Decodable, Equatable {
        var identifier, displayName, extensionPoint, containingApp: String
        var enabled: Bool
    }

    private func listed(_ daemon: TestDaemon, _ more: String...) async throws -> [Listed]? {
        let ran = try await Program.annex(["list", "--json", "--socket", daemon.socket] + more, in: folder)
        return try JSONDecoder().decode([String: [Listed]].self, from: Data(ran.output.utf8))["extensions"]
    }

    private static func part(of app: String, isEnabled: Bool) -> Listed {
        Listed(
            identifier: "\(app).part", displayName: "App", extensionPoint: "com.apple.ui-services", containingApp: app,
            enabled: isEnabled)
    }

    @Test func `commands use the daemon of the user and name its socket if there is none`() async throws {
        let runtime = ["XDG_RUNTIME_DIR": folder.url.path]
        let place = folder.url.appending(path: "annex/annexd.socket").path
        // The machine may have its own daemon, which was not started by a test.
        if access("/run/annex/annexd.socket", F_OK) != 0 {
            for words in [["list"], ["install", "A.app"], ["remove", "a"], ["enable", "a"], ["disable", "a"]] {
                let ran = try await Program.run("annex", words, in: folder, environment: runtime)
                #expect(ran.status == 69 && ran.output.isEmpty, "\(ran)")
                for part in [place, "/run/annex/annexd.socket", "systemctl --user enable --now annexd.socket"] {
                    #expect(ran.errors.contains(part), "\(ran)")
                }
            }
            #expect(try await Program.annex("list", "--system", in: folder).status == 69)
        }
        let daemon = try await TestDaemon()
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "annex"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: daemon.socket)
        let ran = try await Program.run("annex", ["list"], in: folder, environment: runtime)
        #expect(ran.status == 0 && ran.errors.isEmpty, "\(ran)")
        // The daemon has ended. The error names its socket, and no other socket is used.
        _ = await daemon.end(SIGKILL)
        let gone = try await Program.run("annex", ["list"], in: folder, environment: runtime)
        #expect(gone.status == 69 && gone.errors.contains(place), "\(gone)")
    }

    @Test(arguments: ["install", "remove", "list", "enable", "disable"])
    func `each command has examples in its help and refuses unknown words`(command: String) async throws {
        let help = try await Program.annex(command, "--help", in: folder)
        #expect(help.status == 0 && help.output.contains("EXAMPLES\n  annex \(command)"), "\(help)")
        #expect(help.output.contains("EXIT STATUS") && help.output.contains("69  no daemon answers"))
        #expect(try await Program.annex(command, "--nonsense", in: folder).status == 64)
        #expect(try await Program.annex(command, "a", "--system", "--socket", "/x", in: folder).status == 64)
        if command != "list" { #expect(try await Program.annex(command, in: folder).status == 64) }
    }
}
