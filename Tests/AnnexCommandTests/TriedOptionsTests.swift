import AnnexPolicy
import Foundation
import Testing

@testable import AnnexCommand

/// A hint names nothing that the failed run had already, and nothing that no option gives.
@Suite(.timeLimit(.minutes(20))) struct TriedOptionsTests {
    private static func tried(_ options: RunOptions) -> TriedOptions {
        TriedOptions(options, given: GivenPaths(options))
    }

    @Test func `a choice that the run had is left out, and a hint without another one is no hint`() {
        var options = RunOptions()
        options.read = ["/usr"]
        options.allow = ["jit"]
        options.env = ["PATH"]
        options.allowLine = ["mlockall"]
        let tried = Self.tried(options)
        for had in [
            ["--read", "/usr/"], ["--allow", "jit"], ["--env", "PATH"], ["--read", "/usr", "--env", "PATH"],
            ["--allow-line", "mlockall"],
        ] {
            #expect(tried.without(RunHint(line: "x", choices: [RunChoice(had)])) == nil, "\(had)")
            let other = RunHint(line: "x", choices: [RunChoice(had), RunChoice("--write", "/usr")])
            #expect(tried.without(other)?.choices == [RunChoice("--write", "/usr")], "\(had)")
        }
        for new in [["--execute", "/usr"], ["--read", "/usr", "--env", "CI"], ["--read", "/usr/bin"]] {
            #expect(tried.without(RunHint(line: "x", choices: [RunChoice(new)]))?.choices.count == 1, "\(new)")
        }
        #expect(tried.without(RunHint(line: "no option gives this"))?.line == "no option gives this")
    }

    @Test func `the line names no choice that the run had`() {
        var options = RunOptions()
        options.allow = ["jit"]
        options.unprotect = ["all"]
        let tried = Self.tried(options)
        let choices = [RunChoice("--allow", "jit", purpose: "for a"), RunChoice("--allow", "proc", purpose: "for b")]
        let line = "allowed by: " + choices.map(\.stated).joined(separator: ", or ")
        #expect(tried.without(RunHint(line: line, choices: choices))?.line == "allowed by: (for b) --allow proc")
        #expect(tried.without(RunHint(line: "x", choices: [RunChoice("--unprotect", "git")])) == nil)
    }

    @Test(
        arguments: [
            "unshare", "mount", "clone", "{ call: clone, when: { flags: { has: CLONE_NEWUSER } } }",
            "{ call: clone, when: { flags: { exactly: [CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID] } } }",
            "{ call: unshare, when: { flags: CLONE_NEWUTS } }",
        ])
    func `a line that gives namespaces or mounts is recognized`(line: String) throws {
        #expect(try NeverAllowed.call(allowedBy: PolicyFragment(lines: [line])) != nil)
    }

    @Test(
        arguments: [
            "mlockall", "inotify_init1",
            "{ call: clone, when: { flags: { exactly: [CLONE_VM, CLONE_FS, CLONE_FILES, CLONE_UNTRACED] } } }",
        ])
    func `any other line is not taken for one that gives namespaces`(line: String) throws {
        #expect(try NeverAllowed.call(allowedBy: PolicyFragment(lines: [line])) == nil)
    }

    @Test func `several calls that need the same allowance name it once`() {
        let choice = RunChoice(["--allow", "jit", "--allow-line", "a", "--allow", "jit", "--allow-line", "b"])
        #expect(choice.withoutRepetition.options == ["--allow", "jit", "--allow-line", "a", "--allow-line", "b"])
        #expect(RunChoice([]).withoutRepetition.options.isEmpty)
    }

    @Test(
        arguments: [
            ("SSH_AUTH_SOCK", "/run/a", "/run/a"), ("SSH_AUTH_SOCK", "a", nil), ("DISPLAY", ":0", "/tmp/.X11-unix/X0"),
            ("DISPLAY", ":12.1", "/tmp/.X11-unix/X12"), ("DISPLAY", "far:0", nil), ("DISPLAY", ":../../x", nil),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/7/bus,guid=0", "/run/user/7/bus"),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:abstract=/tmp/x", nil), ("WAYLAND_DISPLAY", "/run/w", "/run/w"),
        ] as [(String, String, String?)])
    func `a variable that names a socket leads to its path`(name: String, value: String, path: String?) {
        #expect(SocketVariable.path(in: name, value: value) == path)
    }

    @Test(
        arguments: [
            ("cannot connect to localhost (127.0.0.1), port 5433: refused", 5433),
            ("dial tcp 127.0.0.1:8000: socket: operation not permitted", 8000), ("http://localhost:8080/x", 8080),
            ("connection to server at \"localhost\" (::1), port 5432 failed", 5432), ("redis at [::1]:6379: no", 6379),
            ("http://localhost/x", nil), ("127.0.0.1.2: no", nil), ("localhost:0", nil), ("localhost:99999", nil),
            ("example.org:443", nil), ("", nil),
        ] as [(String, UInt16?)])
    func `the port of this machine that a text names is found`(text: String, port: UInt16?) {
        #expect(NamedPorts.ofThisMachine(in: text) == port)
    }

    @Test(
        arguments: [
            ("error: listen eperm: operation not permitted 0.0.0.0:3000", [], 3000), ("listen :::3001", [], 3001),
            ("listen eacces\n  port: 3002", [], 3002), ("http/server.py", ["-m", "http.server", "8000"], 8000),
            ("listen", ["--port=4000"], 4000), ("listen", [], nil),
        ] as [(String, [String], UInt16?)])
    func `the port at which a program wanted to listen is found`(text: String, arguments: [String], port: UInt16?) {
        #expect(NamedPorts.listening(in: text, arguments) == port)
    }
}
