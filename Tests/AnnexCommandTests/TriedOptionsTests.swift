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
}
