import AnnexLinux
import Foundation
import Testing

@testable import AnnexSandbox

/// What a process in a sandbox sees is what its plan said.
@Suite(.timeLimit(.minutes(1))) struct WorldTests {
    @Test func theWorldIsWhatThePlanSaid() async throws {
        let ground = try Ground()
        var plan = try ground.plan("world", "/app")
        plan.hostname = "elsewhere"
        let run = try ground.launch(plan)
        let world = try await run.world()
        #expect(run.recording.failure == nil)
        #expect(run.recording.order == [.started, .executed, .ended])
        #expect(run.recording.end == .exited(code: 0))
        #expect(world["said"] == "world")
        for (k, v) in world.sorted(by: { $0.key < $1.key }) { print(k, v) }
        if let times = run.recording.times { for (s, d) in times.durations { print(s.name, d) } }
    }
}
