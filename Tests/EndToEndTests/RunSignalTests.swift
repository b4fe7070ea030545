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
}
