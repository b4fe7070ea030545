import AnnexTestSupport
import Foundation
import Testing

/// `annex today`, as a shell sees it.
@Suite(.timeLimit(.minutes(20))) struct TodayCommandTests {
    private let folder: TemporaryFolder
    private let app: SubstituteApp

    init() throws {
        folder = try TemporaryFolder()
        app = try SubstituteApp(running: "shows-a-widget")
        try app.setPoint("com.apple.widget-extension")
    }

    /// The variables prevent a test from writing into the user's own folder.
    private var kept: [String: String] {
        ["ANNEX_TODAY": folder.url.path + "/today", "ANNEX_PRIVATE": folder.url.path + "/private"]
    }

    private func today(_ words: String...) async throws -> Program {
        try await Program.run("annex", ["today", "--app", app.path] + words, in: folder, environment: kept)
    }

    @Test func `the widgets of an app are drawn as cards`() async throws {
        let ran = try await today("--width", "30")
        #expect(ran.status == 0, "\(ran)")
        let lines = ran.output.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("╭─ ") ?? false, "\(ran)")
        #expect(
            Array(lines.dropFirst()) == [
                "│ updates 1                  │", "│ appeared                   │", "│ [1] Act                    │",
                "╰────────────────────────────╯",
            ])
    }

    @Test func `a widget is told the size of its card`() async throws {
        let ran = try await today("--width", "54", "--expanded", "--json")
        #expect(ran.status == 0, "\(ran)")
        for word in [
            "\"result\": \"newData\"", "\"displayMode\": \"expanded\"", "\"height\": 800", "\"failure\": null",
        ] {
            #expect(ran.output.contains(word), "\(word) in \(ran)")
        }
    }

    @Test func `a widget that cannot be launched has a card with the reason`() async throws {
        let broken = try SubstituteApp(running: "acts")
        try broken.setPoint("com.apple.widget-extension")
        try broken.setIdentifier("com.example.broken")
        let ran = try await today("--app", broken.path)
        #expect(ran.status == 1 && ran.output.contains("updates 1"), "\(ran)")
        #expect(ran.output.components(separatedBy: "╭─ ").count == 3, "\(ran)")
    }

    @Test func `an unknown widget, a width out of bounds and a missing app are errors`() async throws {
        let unknown = try await today("--only", "com.example.none")
        #expect(unknown.status == 1 && unknown.errors.contains("com.example.none: is no widget"), "\(unknown)")
        #expect(try await today("--width", "19").status == 64)
        #expect(try await today("--app", folder.url.path + "/None.app").status == 1)
    }

    @Test func `the last content of a widget that fails is printed with its age`() async throws {
        #expect(try await today().status == 0)
        // A widget with a new build would have no snapshot. So the test makes the same app fail by means of its private directory.
        try FileManager.default.removeItem(atPath: folder.url.path + "/private")
        try Data().write(to: folder.url.appending(path: "private"))
        let ran = try await today()
        #expect(ran.status == 1 && ran.output.contains("updates 1") && ran.output.contains("as of "), "\(ran)")
    }

    // MARK: In a terminal

    @Test(arguments: ["q", "\u{1B}", "\u{3}", "TERM", "HUP"])
    func `the live view shows widgets, takes keys and gives the terminal back`(end: String) async throws {
        let ran = try await inTerminal(end)
        #expect(ran.status == 0 && ran.output == "expanded\nresized\nredrawn\nended 0 True\n", "\(ran)")
    }

    private func inTerminal(_ end: String) async throws -> Program {
        try #require(access("/usr/bin/python3", X_OK) == 0, "python3 is needed to be a terminal")
        let annex = ExampleBundles.products.appending(path: "annex").path
        return try await Program.run(
            "/usr/bin/python3", ["-c", Self.terminal, end, annex, "today", "--app", app.path], in: folder,
            environment: kept)
    }

    /// A terminal with a shell that runs one program as its job. The simulated user expands the widget, resizes the terminal, and presses
    /// an arrow key. Then the user stops the job and ends it.
    private static let terminal = """
        import fcntl, os, pty, select, signal, struct, sys, termios
        end, command = sys.argv[1], sys.argv[2:]
        master, ours = pty.openpty()
        def resize(columns): fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack('HHHH', 20, columns, 0, 0))
        resize(60)
        before = termios.tcgetattr(ours)
        job, telling = os.pipe()
        shell = os.fork()
        if shell == 0:
            os.setsid()
            fcntl.ioctl(ours, termios.TIOCSCTTY, 0)
            program = os.fork()
            if program == 0:
                os.setpgid(0, 0)
                signal.signal(signal.SIGTTOU, signal.SIG_IGN)
                os.tcsetpgrp(ours, os.getpid())
                signal.signal(signal.SIGTTOU, signal.SIG_DFL)
                for number in range(3): os.dup2(ours, number)
                os.execv(command[0], command)
            os.write(telling, struct.pack('i', program))
            while True:
                status = os.waitpid(program, os.WUNTRACED)[1]
                if not os.WIFSTOPPED(status): os._exit(os.waitstatus_to_exitcode(status) & 255)
                os.kill(program, signal.SIGCONT)
        program = struct.unpack('i', os.read(job, 4))[0]
        seen = b''
        def until(text):
            global seen
            while text not in seen:
                if select.select([master], [], [], 0.2)[0]: seen += os.read(master, 65536)
                elif os.waitpid(shell, os.WNOHANG)[0]: sys.exit('ended before %r: %r' % (text, seen[-2000:]))
            seen = b''
        until(b'updates 1')
        os.write(master, b'e')
        until(b'expanded 448x800')
        print('expanded')
        resize(40)
        until(b'288x800')
        print('resized')
        os.write(master, b'\\x1b[B')
        os.write(master, b'\\x1a')
        until(bytes([27]) + b'[?1049l')
        until(b'updates 1')
        print('redrawn')
        if end in ('TERM', 'HUP'): os.kill(program, getattr(signal, 'SIG' + end))
        else: os.write(master, end.encode())
        until(bytes([27]) + b'[?1049l')
        status = os.waitstatus_to_exitcode(os.waitpid(shell, 0)[1])
        print('ended', status, termios.tcgetattr(ours) == before)
        """
}
