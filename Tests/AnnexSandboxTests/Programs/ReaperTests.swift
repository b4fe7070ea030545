import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch
@testable import AnnexSandbox

/// Under a reaper, a program must get signals, orphans and its own end in the same way as outside a sandbox.
@Suite(.timeLimit(.minutes(20))) struct ReaperTests {
    private func run(_ script: String) async throws -> SandboxRunResult {
        try await Sandbox(policy: .shipped(named: "tool")).run(SandboxProgram("/bin/sh", arguments: ["-c", script]))
    }

    @Test(arguments: [0, 1, 7, 127, 255]) func `a program behind a reaper keeps its exit code`(code: Int32) async throws
    {
        let report = try await run("exit \(code)").report
        #expect(report.reason == .exited && report.exitCode == code)
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGABRT, SIGSEGV, SIGKILL, SIGUSR1])
    func `a signal that a program sends itself ends it as everywhere`(signal: Int32) async throws {
        let report = try await run("kill -\(signal) $$; sleep 60").report
        #expect(report.reason == .crashed && report.signal == signal, "\(report)")
    }

    @Test func `BOMB-15: orphans are reaped`() async throws {
        // Each child leaves a grandchild, which ends after the child.
        let script = """
            for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do (sh -c 'sleep 0.1' & ); done
            sleep 1; for turn in $(seq 600); do
                states=$(for p in /proc/[0-9]*; do grep -h '^State' $p/status; done)
                case $states in *zombie*) sleep 0.1 ;; *) break ;; esac
            done; echo "$states"
            """
        let result = try await run(script)
        let states = String(decoding: result.output, as: UTF8.self)
        #expect(result.report.exitCode == 0)
        #expect(states.contains("State:"), "nothing was seen of the processes")
        #expect(!states.contains("zombie"))
    }

    @Test func `LIFE-02: processes that a program leaves behind end with it`() async throws {
        // The sleeping process holds the pipe, so the run cannot end while that process lives.
        let result = try await run("setsid sh -c 'sleep 1000' & echo left; exit 3")
        #expect(result.report.exitCode == 3)
        #expect(result.output == Array("left\n".utf8))
    }

    @Test(arguments: ["environ", "maps", "mem", "fd/3", "cwd"])
    func `PROC-04: a program can read nothing of its reaper`(file: String) async throws {
        let result = try await run("cat /proc/1/\(file) && echo got through")
        #expect(!String(decoding: result.output, as: UTF8.self).contains("got through"))
        #expect(result.output.isEmpty)
    }

    @Test func `NS-06: signals from inside never reach the reaper or others through it`() async throws {
        let script =
            "trap 'echo hit' TERM; for s in TERM INT HUP KILL STOP SEGV; do kill -$s 1 2>/dev/null; done; echo alive"
        let result = try await run(script)
        #expect(result.report.exitCode == 0)
        #expect(result.output == Array("alive\n".utf8))
    }

    @Test func `a program that is asked to end may tidy up`() async throws {
        let report = try await cancelled(after: "trap 'exit 9' TERM", grace: "3000s")
        #expect(report.reason == .exited && report.exitCode == 9, "\(report)")
    }

    @Test func `SIG-03: a program that ignores the request to end is killed after its grace`() async throws {
        #expect(try await cancelled(after: "trap '' TERM", grace: "100ms").reason == .cancelled)
    }

    /// The policy `tool` with another grace.
    private static func policy(grace: String) throws -> Policy {
        let text = "policy: asked\nsummary: Is asked to end.\nincludes: [tool]\nlimits: { grace: \(grace) }\n"
        return try PolicyLibrary.shipped.adding(["asked": (text, "asked.yaml")]).policy(named: "asked")
    }

    /// The result of a script that does not end by itself. The script is cancelled as soon as its trap is set. The
    /// speed of the machine decides how much of the grace is needed.
    private func cancelled(after trap: String, grace: String) async throws -> SandboxRunReport {
        let policy = try Self.policy(grace: grace)
        let folder = try TemporaryFolder()
        let ready = folder.url.appending(path: "ready").path
        try #require(chmod(folder.url.path, 0o777) == 0)
        var program = SandboxProgram(
            "/bin/sh", arguments: ["-c", "\(trap); : > \(ready); while :; do sleep 0.05; done"])
        program.write(folder.url.path)
        let task = Task { [program] in
            try await Sandbox(policy: policy).run(program).report
        }
        await eventually { access(ready, F_OK) == 0 }
        task.cancel()
        return try await task.value
    }
}
