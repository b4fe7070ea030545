import AnnexLinux
import AnnexTestSupport
import AnnexWarden
import Foundation
import Testing

@testable import AnnexLaunch

/// Each step of a launch fails in turn. The answer must name the step, and no resource may be left.
@Suite(.timeLimit(.minutes(20))) struct FaultTests {
    @Test func `every step of a launch has its name`() {
        #expect(LaunchStep.allCases.count == Int(ANNEX_STEP_COUNT))
        #expect(Set(LaunchStep.allCases.map(\.name)).count == LaunchStep.allCases.count)
        #expect(LaunchStep.allCases.first?.name == "plan" && LaunchStep.allCases.last?.name == "exec")
    }

    @Test(arguments: LaunchStep.allCases, [false, true])
    func `a step that fails is named and leaves nothing`(step: LaunchStep, reaper: Bool) async throws {
        let fixture = try WardenFixture()
        let mounts = ProcText.mountsOfAnnex()
        try await fail(step, reaper, on: fixture)  // makes all objects that only the first launch makes
        let before = WardenState(fixture.warden.number)
        for _ in 0..<5 { try await fail(step, reaper, on: fixture) }
        // The warden reports an end before it has released all resources of the launch.
        await eventually { WardenState(fixture.warden.number).isNoMore(than: before) }
        await eventually { Set(ProcText.mountsOfAnnex()).isSubset(of: mounts) }
    }

    private func fail(_ step: LaunchStep, _ reaper: Bool, on fixture: WardenFixture) async throws {
        var plan = try fixture.plan("world")
        plan.layers.insert(.seccomp)
        plan.hasReaper = reaper
        plan.hasProc = true
        plan.hasLoopback = true
        plan.filterFlags = 1 << 3
        plan.filter = Bpf.oneExec(nonce: WardenFixture.nonce, notifying: Bpf.Call.getppid)
        plan.fault = (step, EILSEQ)
        let run = try fixture.launch(plan)
        let world = try await run.world()
        #expect(world.isEmpty, "its own code ran")
        #expect(run.recording.failure?.step == step)
        #expect(run.recording.failure?.errno == EILSEQ)
        let hasProcess = step.rawValue > LaunchStep.clone.rawValue
        var order: [Recording.Event] = hasProcess ? [.started, .failed, .ended] : [.failed, .ended]
        if step == .exec { order.insert(.listener, at: 1) }
        #expect(run.recording.order == order)
        #expect((run.recording.end != nil) == hasProcess)
    }

    @Test func `a real failure is reported like an injected one`() async throws {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("world")
        plan.directory = "/nowhere"
        let run = try fixture.launch(plan)
        await run.recording.finish()
        #expect(run.recording.failure == LaunchFailure(.directory, errno: ENOENT, subject: "/nowhere"))
        #expect("\(run.recording.failure ?? LaunchFailure(.plan, errno: 0))".contains("ENOENT"))
    }
}
