import AnnexLinux
import AnnexTestSupport
import AnnexWarden
import Foundation
import Testing

@testable import AnnexSandbox

/// Each step made to fail in turn: the answer names it, and nothing is left.
@Suite(.timeLimit(.minutes(20))) struct FaultTests {
    @Test func everyStepHasItsName() {
        #expect(LaunchStep.allCases.count == Int(ANNEX_STEP_COUNT))
        #expect(Set(LaunchStep.allCases.map(\.name)).count == LaunchStep.allCases.count)
        #expect(LaunchStep.allCases.first?.name == "plan" && LaunchStep.allCases.last?.name == "exec")
    }

    @Test(arguments: LaunchStep.allCases, [false, true])
    func aStepThatFailsIsNamedAndLeavesNothing(step: LaunchStep, reaper: Bool) async throws {
        let ground = try Ground()
        let mounts = ProcText.mountsOfAnnex()
        try await fail(step, reaper, on: ground)  // what the first launch makes once is made
        let before = WardenState(ground.warden.number)
        for _ in 0..<5 { try await fail(step, reaper, on: ground) }
        // The warden tells an end before it has put everything of it away.
        await eventually { WardenState(ground.warden.number).isNoMore(than: before) }
        await eventually { Set(ProcText.mountsOfAnnex()).isSubset(of: mounts) }
    }

    private func fail(_ step: LaunchStep, _ reaper: Bool, on ground: Ground) async throws {
        var plan = try ground.plan("world")
        plan.layers.insert(.seccomp)
        plan.hasReaper = reaper
        plan.hasProc = true
        plan.hasLoopback = true
        plan.filterFlags = 1 << 3
        plan.filter = Bpf.oneExec(nonce: Ground.nonce, notifying: Bpf.Call.getppid)
        plan.fault = (step, EILSEQ)
        let run = try ground.launch(plan)
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

    @Test func aRealFailureLooksTheSame() async throws {
        let ground = try Ground()
        var plan = try ground.plan("world")
        plan.directory = "/nowhere"
        let run = try ground.launch(plan)
        await run.recording.finish()
        #expect(run.recording.failure == LaunchFailure(.directory, errno: ENOENT, subject: "/nowhere"))
        #expect("\(run.recording.failure ?? LaunchFailure(.plan, errno: 0))".contains("ENOENT"))
    }
}
