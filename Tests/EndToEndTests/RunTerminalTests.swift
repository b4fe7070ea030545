import AnnexTestSupport
import Foundation
import Testing

/// Programs of `annex run` that read keys although their standard input is no terminal, and programs that do not.
@Suite(.timeLimit(.minutes(20))) struct RunTerminalTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs a line of a shell as a job on a terminal of its own, and returns what the terminal showed.
    /// - Parameters:
    ///   - keys: the keys to press, each after the terminal has shown a word.
    private func shown(
        _ line: String, keys: KeyValuePairs<String, String> = [:], inBackground: Bool = false
    ) async throws -> String {
        try #require(access("/usr/bin/python3", X_OK) == 0, "python3 is needed to be a shell")
        let annex = ExampleBundles.products.appending(path: "annex").path
        let place = inBackground ? "background" : "foreground"
        let pairs = keys.flatMap { [$0.key, $0.value] }
        return try await Program.run(
            "/usr/bin/python3", ["-c", Self.shell, annex, place, line] + pairs, in: folder
        ).output
    }

    @Test(arguments: ["", "</dev/null ", "<data ", "echo data | "])
    func `TTY-04: a program reads keys from its terminal whatever its standard input is`(input: String) async throws {
        try Data("data\n".utf8).write(to: folder.url.appending(path: "data"))
        let (before, after) = input.hasSuffix("| ") ? (input, "") : ("", input)
        let line = "\(before)\(after)$0 run -- sh -c 'echo ready; read x </dev/tty; echo got $x'"
        let shown = try await shown(line, keys: ["ready": "hello\n"])
        #expect(shown.contains("got hello\r\n") && shown.hasSuffix("[0, modes kept, left ]"), "\(shown)")
    }

    @Test func `the terminal of the sandbox is never reported as denied`() async throws {
        let line = "$0 run --explain -- sh -c 'cat /etc/shadow; read x </dev/tty' </dev/null"
        let shown = try await shown(line, keys: ["shadow": "hello\n"])
        #expect(shown.contains("annex: read /etc/shadow: denied") && !shown.contains("read /dev/tty"), "\(shown)")
    }

    @Test func `a program reads keys if only its standard error is a terminal`() async throws {
        let line = "$0 run -- sh -c 'echo ready >&2; read x </dev/tty; echo got $x' </dev/null | tr a-z A-Z"
        let shown = try await shown(line, keys: ["ready": "hello\n"])
        #expect(shown.contains("GOT HELLO") && shown.hasSuffix("[0, modes kept, left ]"), "\(shown)")
    }

    @Test func `a program reads keys from its standard error after it has changed the modes of its terminal`()
        async throws
    {
        let program = """
            import os, termios, tty
            tty.setcbreak(2)
            os.write(2, b'ready\\n')
            print('got', os.read(2, 1))
            """
        let shown = try await shown("$0 run -- /usr/bin/python3 -c \"\(program)\" </dev/null", keys: ["ready": "q"])
        #expect(shown.contains("got b'q'") && shown.hasSuffix("[0, modes kept, left ]"), "\(shown)")
    }

    @Test(arguments: ["</dev/null", "<data"])
    func `a program that does not open its terminal takes no keys from the shell`(input: String) async throws {
        try Data("data\n".utf8).write(to: folder.url.appending(path: "data"))
        let line = "$0 run -- sh -c 'echo ready; cat; sleep 1; echo done' \(input)"
        let shown = try await shown(line, keys: ["ready": "next\n"])
        #expect(shown.hasSuffix("done\r\n[0, modes kept, left next]"), "\(shown)")
    }

    /// The terminal adds a carriage return for a program that leaves its modes alone, and adds none for a raw program.
    @Test func `lines end as the program wants before, during and after raw modes`() async throws {
        let program = """
            import os, sys, termios, tty
            write = lambda text: os.write(1, text)
            write(b'one\\ntwo\\r\\n')
            terminal = os.open('/dev/tty', os.O_RDWR)
            modes = termios.tcgetattr(terminal)
            tty.setraw(terminal)
            write(b'three\\nfour\\r\\nready')
            key = os.read(terminal, 1)
            termios.tcsetattr(terminal, termios.TCSADRAIN, modes)
            write(b'[' + key + b']\\n%d\\n' % len(sys.stdin.read()))
            """
        let shown = try await shown("seq 100 | $0 run -- /usr/bin/python3 -c \"\(program)\"", keys: ["ready": "\u{4}"])
        let expected = "one\r\ntwo\r\r\nthree\nfour\r\nready[\u{4}]\r\n292\r\n[0, modes kept, left ]"
        #expect(shown == expected, "\(shown.debugDescription)")
    }

    @Test(arguments: ["kill -9 $$", "kill -TERM $PPID", "read x </dev/tty"])
    func `the modes come back after a sudden end of a program that reads keys`(end: String) async throws {
        // The last program reads a key. The test presses Ctrl-C, and the program's terminal sends SIGINT for this
        // key.
        let ends = end.contains("PPID") ? "sleep 1000" : end
        // In the background, a script's job ignores SIGINT, so only the end from outside is waited for in this way.
        let stop = end.contains("PPID") ? " & sleep 1; kill -TERM $(cat annex); wait $!" : ""
        let line =
            "sh -c 'echo $$ > annex; exec \"$0\" run -- sh -c \"exec 3</dev/tty; sleep 0.5; echo ready; "
            + "\(ends.replacing("$", with: "\\$"))\" </dev/null' $0\(stop)"
        let shown = try await shown(line, keys: ["ready": end.hasPrefix("read") ? "\u{3}" : ""])
        #expect(shown.contains("modes kept") && !shown.contains("[0,"), "\(shown)")
    }

    @Test(arguments: ["sh", "bash"], ["", "</dev/null"])
    func `TTY-04: Ctrl-C ends the loop of a shell with the program`(shell: String, input: String) async throws {
        let line =
            "exec \(shell) -c 'for i in 1 2 3; do \"$0\" run -- sh -c \"echo ready; exec sleep 10\" \(input); done; "
            + "echo over' $0"
        let shown = try await shown(line, keys: ["ready": "\u{3}"])
        #expect(shown.contains("[-2, modes kept, left ]") && !shown.contains("over"), "\(shown)")
    }

    @Test func `TTY-04: Ctrl-Z stops the whole job of a program that reads keys from its terminal`() async throws {
        let line =
            "sh -c 'echo $$ > writer; exec sleep 1000' | { $0 run -- sh -c 'exec 3</dev/tty; echo ready; "
            + "read x <&3; echo first $x; read y <&3; echo got $y'; kill $(cat writer); }"
        let shown = try await shown(line, keys: ["ready": "a\n", "first a": "\u{1A}", "[stopped, modes kept]": "b\n"])
        #expect(shown.contains("[stopped, modes kept]") && shown.contains("got b\r\n"), "\(shown)")
        #expect(shown.contains("modes kept, left ]"), "\(shown)")
    }

    @Test func `TTY-04: a background job takes keys only after it comes to the foreground`() async throws {
        let line = "$0 run -- sh -c 'exec 3</dev/tty; echo ready; read x <&3; echo got $x' </dev/null"
        let shown = try await shown(line, keys: ["ready": "fg\n", "[fg, modes kept]": "hello\n"], inBackground: true)
        #expect(shown.contains("[fg, modes kept]") && shown.contains("got hello\r\n"), "\(shown)")
        #expect(shown.hasSuffix("[0, modes kept, left ]"), "\(shown)")
    }

    /// A shell with job control on its own terminal. The other end of the terminal presses keys. The shell prints how
    /// its job stopped and ended, whether the modes of the terminal are as before, and which keys the job left. It
    /// continues a job that stopped. A job in the background comes to the foreground when the shell reads a line,
    /// without a signal.
    private static let shell = """
        import os, pty, select, signal, sys, termios, time, tty
        annex, place, line, *keys = sys.argv[1:]
        shell, master = pty.fork()
        if shell == 0:
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            modes = termios.tcgetattr(2)
            def state(): return 'kept' if termios.tcgetattr(2) == modes else 'changed'
            def say(text): os.write(2, ('[' + text + ']').encode())
            job = os.fork()
            if job == 0:
                os.setpgid(0, 0)
                if place == 'foreground': os.tcsetpgrp(2, os.getpid())
                # A job that a script started in the background ignores SIGINT, and so would everything it starts.
                for number in (signal.SIGTTOU, signal.SIGINT): signal.signal(number, signal.SIG_DFL)
                os.execv('/bin/sh', ['sh', '-c', line, annex])
            if place == 'background':
                word = os.read(2, 64).decode().strip()
                os.tcsetpgrp(2, job)
                say(f'{word}, modes {state()}')
            while True:
                _, status = os.waitpid(job, os.WUNTRACED)
                os.tcsetpgrp(2, os.getpgrp())
                if not os.WIFSTOPPED(status): break
                say(f'stopped, modes {state()}')
                os.tcsetpgrp(2, job)
                os.killpg(job, signal.SIGCONT)
            kept = state()
            tty.setraw(2, termios.TCSANOW)
            left = os.read(2, 4096).decode().strip() if select.select([2], [], [], 0.5)[0] else ''
            say(f'{os.waitstatus_to_exitcode(status)}, modes {kept}, left {left}')
            os._exit(0)
        shown = b''
        def type(key):
            # The terminal itself would act on this key before annex takes all keys for the program.
            while key == '\\x04' and termios.tcgetattr(master)[3] & termios.ICANON: time.sleep(0.01)
            os.write(master, key.encode())
        while True:
            try: piece = os.read(master, 4096)
            except OSError: break
            shown += piece
            while keys and keys[0].encode() in shown:
                if keys[1]: type(keys[1])
                keys = keys[2:]
        os.waitpid(shell, 0)
        os.write(1, shown)
        """
}
