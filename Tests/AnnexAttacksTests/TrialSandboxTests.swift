import AnnexAttacks
import AnnexLaunch
import AnnexPolicy
import Glibc
import Testing

@Suite(.timeLimit(.minutes(20))) struct TrialSandboxTests {
    @Test func `a trial reports the result of each call`() async throws {
        var script = TrialScript()
        let pid = script.call("getpid")
        let bad = script.call("fcntl", with: -1, 1)
        let text = script.text("seen")
        let told = script.report(text, count: 4)
        let outcome = try await TrialSandbox().run(script, under: .shipped(named: "compute"))
        #expect(outcome.end.failure == nil)
        #expect(outcome.answers.hasBegun)
        #expect(outcome.answers.results[pid] == 1)
        #expect(outcome.answers.errno(bad) == EBADF)
        #expect(outcome.answers.reported[told] == Array("seen".utf8))
        #expect(outcome.end.process == .exited(code: 0))
    }

    @Test func `a call that only attacks make ends the trial after its earlier results`() async throws {
        var script = TrialScript()
        let pid = script.call("getpid")
        let attack = script.call("unshare", with: 0)
        let outcome = try await TrialSandbox().run(script, under: .shipped(named: "compute"))
        #expect(outcome.answers.succeeded(pid))
        #expect(outcome.answers.results[attack] == nil)
        #expect(outcome.ending?.call == "unshare")
    }
}
