import AnnexTestSupport
import Foundation
import Testing

/// A program of `annex run` begins with the caller's signal setting.
@Suite(.timeLimit(.minutes(20))) struct RunSignalTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func shell(_ line: String) async throws -> Program {
        let annex = ExampleBundles.products.appending(path: "annex").path
        return try await Program.run("/bin/sh", ["-c", line.replacing("annex run", with: "\(annex) run")], in: folder)
    }

    @Test(arguments: ["", "trap '' HUP;", "trap '' INT QUIT;", "trap '' TERM USR1 PIPE CHLD TSTP;"])
    func `ignored signals stay ignored in the program`(trap: String) async throws {
        let ask = "grep -E '^Sig(Ign|Blk)' /proc/self/status"
        let said = try await shell("\(trap) \(ask); annex run -- \(ask)")
        // The C library keeps the signals 32 and 33 to itself, and posix_spawn(3) ignores them.
        let sets = said.output.split(separator: "\n").map { line in
            (UInt64(line.suffix(16), radix: 16) ?? .max) & ~0x1_8000_0000
        }
        #expect(sets.count == 4 && Array(sets.prefix(2)) == Array(sets.suffix(2)), "\(said)")
    }

    @Test func `blocked signals stay blocked in the program`() async throws {
        let python = """
            import os, signal, sys
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGTERM])
            os.execv(sys.argv[1], sys.argv[1:])
            """
        let annex = ExampleBundles.products.appending(path: "annex").path
        let said = try await Program.run(
            "/usr/bin/python3", ["-c", python, annex, "run", "--", "grep", "SigBlk", "/proc/self/status"], in: folder)
        #expect(said.output == "SigBlk:\t0000000000004800\n", "\(said)")
    }

    /// The program waits for the end of its input, which comes after the signal.
    @Test(arguments: ["HUP", "TERM", "INT", "QUIT"])
    func `a signal that the caller ignores ends neither annex nor the program`(signal: String) async throws {
        let line =
            "mkfifo in; trap '' \(signal); annex run -- sh -c 'echo begun; cat' < in > out & job=$!; exec 3> in; "
            + "until grep -qs begun out || ! kill -0 $job; do :; done; kill -\(signal) $job; echo more >&3; exec 3>&-; "
            + "wait $job; echo $?; cat out"
        let said = try await shell(line)
        #expect(said.output == "0\nbegun\nmore\n", "\(said)")
    }

    @Test func `a program may still handle a signal that the caller ignores`() async throws {
        let python = """
            import signal, sys
            signal.signal(signal.SIGUSR1, lambda *_: sys.exit(9))
            print("begun", flush=True)
            while True: signal.pause()
            """
        try Data(python.utf8).write(to: folder.url.appending(path: "handles.py"))
        let line =
            "trap '' USR1; annex run --read handles.py -- /usr/bin/python3 handles.py > out & job=$!; "
            + "until grep -qs begun out || ! kill -0 $job; do :; done; kill -USR1 $job; wait $job; echo $?"
        let said = try await shell(line)
        #expect(said.output == "9\n", "\(said)")
    }

    @Test func `a signal that nobody ignores ends the program`() async throws {
        let line =
            "annex run -- sh -c 'echo begun; exec sleep 1000' > out & job=$!; "
            + "until grep -qs begun out || ! kill -0 $job; do :; done; kill -TERM $job; wait $job; echo $?"
        #expect(try await shell(line).output == "143\n")
    }

    /// Starts a command in a session of its own. When it says `begun`, the script sends a signal to its process group, or
    /// to its first process. The script prints how this process ended, and what the command said later.
    private static let signalling = """
        import os, resource, signal, subprocess, sys
        number, group, *command = sys.argv[1:]
        number = int(number)
        def prepare():
            if number: signal.signal(number, signal.SIG_DFL)
            most = resource.getrlimit(resource.RLIMIT_CORE)[1]
            resource.setrlimit(resource.RLIMIT_CORE, (most, most))
        job = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True, preexec_fn=prepare)
        assert job.stdout.readline() == b'begun\\n'
        os.killpg(job.pid, number) if group == 'group' else os.kill(job.pid, number)
        later = job.stdout.read().decode().split()
        status = os.waitpid(job.pid, 0)[1]
        print(os.waitstatus_to_exitcode(status), 'core' if os.WIFSIGNALED(status) and os.WCOREDUMP(status) else '', later)
        """

    private func signalled(_ number: Int32, _ target: String, _ command: [String]) async throws -> Program {
        let words = ["-c", Self.signalling, "\(number)", target] + command
        return try await Program.run("/usr/bin/python3", words, in: folder)
    }

    private static var annex: String { ExampleBundles.products.appending(path: "annex").path }

    @Test(arguments: ["/bin/sh", "/bin/bash"])
    func `Ctrl-C ends the loop of a shell with the program`(shell: String) async throws {
        let loop = "for i in 1 2 3; do \"$0\" run -- sh -c 'echo begun; exec sleep 10'; done; echo over"
        let said = try await signalled(SIGINT, "group", [shell, "-c", loop, Self.annex])
        #expect(said.output == "-2  []\n", "\(said)")
    }

    @Test(
        arguments: [
            (SIGINT, "echo begun; exec sleep 1000", "-2  []\n", 2),
            (SIGQUIT, "echo begun; exec sleep 1000", "-3  []\n", 3),
            (SIGTERM, "echo begun; exec sleep 1000", "143  []\n", 15),
            (SIGINT, "trap 'exit 5' INT; echo begun; while :; do sleep 0.1; done", "5  []\n", nil),
        ] as [(Int32, String, String, Int?)])
    func `annex ends by the signals at which a shell ends its loop, after all of its work`(
        number: Int32, script: String, end: String, reported: Int?
    ) async throws {
        let words = [Self.annex, "run", "--report", "end.json", "--", "sh", "-c", script]
        let said = try await signalled(number, "process", words)
        #expect(said.output == end, "\(said)")
        let report = try String(contentsOf: folder.url.appending(path: "end.json"), encoding: .utf8)
        if let reported { #expect(report.contains("\"signal\" : \(reported)"), "\(report)") }
    }

    @Test func `a signal that a program sends to itself ends annex with a status only`() async throws {
        let said = try await signalled(0, "process", [Self.annex, "run", "--", "sh", "-c", "echo begun; kill -INT $$"])
        #expect(said.output == "130  []\n", "\(said)")
    }

    @Test func `the end after the grace names the option for more time`() async throws {
        let script = "trap 'sleep 3; exit 3' TERM; echo begun; while :; do sleep 0.1; done"
        let options = ["--report", "end.json", "--json-events", "events.jsonl"]
        let said = try await signalled(
            SIGTERM, "process", [Self.annex, "run"] + options + ["--", "sh", "-c", script])
        let remedy = "to give it more time, add --limit grace=20s"
        #expect(said.output == "125  []\n")
        #expect(said.errors.contains("after it was asked to; \(remedy)\n"), "\(said.errors)")
        for file in ["end.json", "events.jsonl"] {
            let text = try String(contentsOf: folder.url.appending(path: file), encoding: .utf8)
            #expect(text.contains(remedy), "\(text)")
        }
        let patient = try await signalled(
            SIGTERM, "process", [Self.annex, "run", "--limit", "grace=20s", "--", "sh", "-c", script])
        #expect(patient.output == "3  []\n", "\(patient)")
    }
}
