import AnnexBundle
import AnnexLinux
import AnnexModel
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexBroker

/// The start of apps outside of every sandbox.
@Suite(.timeLimit(.minutes(20))) struct AppStarterTests {
    private let folder: TemporaryFolder
    private let app: SubstituteApp

    init() throws {
        folder = try TemporaryFolder()
        // Another user must be able to write here.
        chmod(folder.url.path, 0o777)
        app = try SubstituteApp(running: "opens-urls")
        try app.setProgram("records-opening")
        try app.setSchemes(["shout"])
        chmod((app.path as NSString).deletingLastPathComponent, 0o755)
    }

    private func url(_ name: String) throws -> StartReason {
        .url(try AppURL("shout:\(folder.url.path)/\(name)"))
    }

    private func facts(_ name: String) async throws -> [String: String] {
        try await facts(at: "\(folder.url.path)/\(name)")
    }

    private func facts(at path: String) async throws -> [String: String] {
        var text: String?
        while text == nil {
            text = try? String(contentsOfFile: path, encoding: .utf8)
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

    /// Makes a starter with a substitute for the user's service manager. The substitute has only the file that the
    /// starter looks for, and a program in place of systemd-run.
    private func starter(running script: String) throws -> AppStarter {
        let manager = folder.url.path + "/\(geteuid())/systemd"
        try FileManager.default.createDirectory(atPath: manager, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: manager + "/private"))
        let program = folder.url.path + "/systemd-run"
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(filePath: program))
        chmod(program, 0o755)
        try FileManager.default.settleProgram(at: URL(filePath: program))
        return AppStarter(owner: geteuid(), systemdRun: program, runtime: folder.url.path)
    }

    @Test func `S6: where systemd runs, the app is a transient unit of its user`() async throws {
        // The program records its arguments. Then it runs the command after the two hyphens, as a manager does.
        let words = folder.url.path + "/words"
        let starter = try starter(
            running: """
                printf '%s\\n' "$@" >'\(words)'
                while [ "$1" != -- ]; do shift; done
                shift
                "$@" & wait_for=$!
                while [ ! -e '\(folder.url.path)/unit' ]; do sleep 0.01; done
                """)
        try starter.start(AppBundle.open(app.path), for: url("unit"))
        let found = try await facts("unit")
        #expect(found["url"] == "shout:\(folder.url.path)/unit", "\(found)")
        let said = try String(contentsOfFile: words, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(said.starts(with: ["--user", "--quiet", "--collect", "--property=Type=exec"]), "\(said)")
        #expect(said.contains("--setenv=PATH=/usr/local/bin:/usr/bin:/bin"), "\(said)")
        #expect(said.suffix(3).first == "--" && said.last == "shout:\(folder.url.path)/unit", "\(said)")
    }

    @Test func `an app that is started for a background session gets the session and no screen`() async throws {
        let words = folder.url.path + "/words"
        let starter = try starter(
            running: """
                printf '%s\\n' "$@" >'\(words)'
                while [ "$1" != -- ]; do shift; done
                shift
                "$@" & wait_for=$!
                while [ ! -e '\(app.path)/../started' ]; do sleep 0.01; done
                """)
        try starter.start(AppBundle.open(app.path), for: .backgroundSession("com.example.shout.sync"))
        let found = try await facts(at: app.path + "/../started")
        #expect(found["reason"] == "annex-start:background-session/com.example.shout.sync", "\(found)")
        #expect(found["url"] == "none" && found["arguments"] == "2", "\(found)")
        let said = try String(contentsOfFile: words, encoding: .utf8)
        #expect(said.contains("--property=UnsetEnvironment=DISPLAY WAYLAND_DISPLAY"), "\(said)")
    }

    @Test func `only an app that shows itself learns of the screen`() throws {
        let (account, starter) = (try UserAccount(geteuid()), AppStarter(owner: geteuid()))
        let names = ["DISPLAY", "WAYLAND_DISPLAY"]
        let shown = starter.environment(of: account, for: try url("shown"))
        for name in names { #expect(shown[name] == ProcessInfo.processInfo.environment[name]) }
        let hidden = starter.environment(of: account, for: .backgroundSession("com.example.shout.sync"))
        for name in names { #expect(hidden[name] == nil) }
    }

    @Test func `S6: if systemd starts no unit, the app is a process of its own`() async throws {
        let starter = try starter(running: "exit 1")
        try starter.start(AppBundle.open(app.path), for: url("alone"))
        let found = try await facts("alone")
        #expect(found["session"] == "true" && found["descriptors"] == "[]", "\(found)")
    }

    @Test func `S6: an app that a broker starts reaches the groups of this broker`() throws {
        let (account, reason) = (try UserAccount(geteuid()), StartReason.backgroundSession("com.example.sync"))
        let starter = AppStarter(owner: geteuid(), groups: "/somewhere")
        #expect(starter.environment(of: account, for: reason)["ANNEX_PRIVATE"] == "/somewhere")
        // An app of another user has no right to the broker's folder. The daemon serves such an app.
        let served = AppStarter(owner: geteuid() + 1, daemon: "/socket", groups: "/somewhere")
        #expect(served.environment(of: account, for: reason)["ANNEX_PRIVATE"] == nil)
        #expect(served.environment(of: account, for: reason)["ANNEX_DAEMON"] == "/socket")
    }

    @Test(.enabled(if: geteuid() == 0, "needs root: only root starts a program as another user"))
    func `S6: a broker for another user starts the app as that user`() async throws {
        let starter = AppStarter(owner: 65534)
        let account = try UserAccount(65534)
        let environment = starter.environment(of: account, for: try url("other"))
        #expect(environment["HOME"] == account.home)
        #expect(environment["XDG_RUNTIME_DIR"] == "/run/user/65534")
        try starter.start(AppBundle.open(app.path), for: url("other"))
        #expect(try await facts("other")["user"] == "65534 65534")
    }

    @Test func `S6: a program that cannot be executed is an error with its cause`() async throws {
        let bundle = try AppBundle.open(app.path)
        let program = DetachedProgram(arguments: ["words"], environment: [:])
        let file = try Descriptor.open(app.path + "/Info.plist", O_RDONLY)
        #expect(throws: SystemError.self) { try program.start(file) }
        #expect(throws: SystemError.self) { try UserAccount(4_000_000_000) }
        withExtendedLifetime(bundle) {}
    }
}
