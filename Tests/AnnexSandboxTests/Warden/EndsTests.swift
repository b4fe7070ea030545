import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch

/// The kernel reports the end of a program by a signal. It keeps only one pending signal of this kind.
@Suite(.timeLimit(.minutes(20))) struct EndsTests {
    @Test func `all ends that come while the warden sleeps are reported`() async throws {
        let fixture = try WardenFixture()
        var runs: [Recording] = []
        for _ in 0..<30 { runs.append(try await staying(on: fixture)) }
        kill(fixture.warden.number, SIGSTOP)
        for run in runs { try run.kill() }
        for run in runs { await eventually { WardenState.isGone(run.process) } }
        kill(fixture.warden.number, SIGCONT)
        for run in runs {
            await run.finish()
            #expect(run.end == .signalled(signal: SIGKILL, core: false))
        }
    }

    @Test func `stopping and continuing a program is no end`() async throws {
        let fixture = try WardenFixture()
        let stopped = try await staying(on: fixture)
        let other = try await staying(on: fixture)
        for _ in 0..<20 {
            kill(stopped.process, SIGSTOP)
            kill(stopped.process, SIGCONT)
        }
        kill(stopped.process, SIGSTOP)
        // The end of the other program is reported after all of these signals.
        try other.kill()
        await other.finish()
        #expect(stopped.end == nil && kill(stopped.process, 0) == 0)
        try stopped.kill()
        await stopped.finish()
        #expect(stopped.end == .signalled(signal: SIGKILL, core: false))
    }

    @Test func `a foreign SIGCHLD to the warden ends no program`() async throws {
        let fixture = try WardenFixture()
        let run = try await staying(on: fixture)
        let other = try await staying(on: fixture)
        for _ in 0..<20 { kill(fixture.warden.number, SIGCHLD) }
        try other.kill()
        await other.finish()
        #expect(run.end == nil)
        try run.kill()
        await run.finish()
    }

    @Test func `the warden holds no descriptor for a running program`() async throws {
        let fixture = try WardenFixture()
        let before = WardenState(fixture.warden.number).descriptors
        var runs: [Recording] = []
        for _ in 0..<8 { runs.append(try await staying(on: fixture)) }
        await eventually { WardenState(fixture.warden.number).descriptors == before }
        for run in runs { try run.kill() }
        for run in runs { await run.finish() }
    }

    private func staying(on fixture: WardenFixture) async throws -> Recording {
        let run = try fixture.launch(fixture.plan("stay")).recording
        #expect(await run.waits(for: .executed))
        return run
    }
}
