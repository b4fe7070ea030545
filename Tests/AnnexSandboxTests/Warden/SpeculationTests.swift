import AnnexLinux
import AnnexPolicy
import AnnexWarden
import Glibc
import Testing

@testable import AnnexLaunch

/// Controls against side channels. The kernel's answers decide which calls the warden makes. Each control that the
/// report names must be in force.
@Suite(.timeLimit(.minutes(20))) struct SpeculationTests {
    private static let (perProcess, on, off, forced, untilExec) = (1, 2, 4, 8, 16)

    /// Every answer that Linux can give for PR_GET_SPECULATION_CTRL.
    static let answers: [(Int, annex_control_state)] = [
        (0, ANNEX_CONTROL_ABSENT),  // not affected
        (on, ANNEX_CONTROL_ABSENT),
        (off, ANNEX_CONTROL_HELD),
        (forced, ANNEX_CONTROL_HELD),
        (perProcess | on, ANNEX_CONTROL_OFFERED),
        (perProcess | off, ANNEX_CONTROL_OFFERED),
        (perProcess | forced, ANNEX_CONTROL_HELD),
        (perProcess | untilExec, ANNEX_CONTROL_OFFERED),
        (-Int(ENODEV), ANNEX_CONTROL_ABSENT),
        (-Int(EINVAL), ANNEX_CONTROL_ABSENT),
        // The host's environment denies the control. The launch must report this, and must not continue without the
        // control.
        (-Int(EPERM), ANNEX_CONTROL_OFFERED),
        (-Int(ENOSYS), ANNEX_CONTROL_OFFERED),
    ]

    @Test(arguments: answers)
    func `the answer of the kernel about speculation decides if launches ask for control`(
        answer: Int, state: annex_control_state
    ) {
        #expect(annex_control_of_speculation(answer) == state)
    }

    @Test(arguments: [
        (0, ANNEX_CONTROL_OFFERED), (-Int(ENODEV), ANNEX_CONTROL_ABSENT), (-Int(EINVAL), ANNEX_CONTROL_ABSENT),
        (-Int(EPERM), ANNEX_CONTROL_OFFERED), (-Int(ENOSYS), ANNEX_CONTROL_OFFERED),
    ])
    func `the answer of the kernel about core scheduling decides if launches ask for cores`(
        answer: Int, state: annex_control_state
    ) {
        #expect(annex_control_of_core(answer) == state)
    }

    @Test func `the names of speculation controls match the bits of the header`() {
        #expect(SpeculationControls.storeBypass.rawValue == UInt32(ANNEX_CONTROL_STORE_BYPASS))
        #expect(SpeculationControls.indirectBranches.rawValue == UInt32(ANNEX_CONTROL_INDIRECT_BRANCHES))
        #expect(SpeculationControls.core.rawValue == UInt32(ANNEX_CONTROL_CORE))
        #expect("\(SpeculationControls())" == "this machine offers none")
        #expect("\(SpeculationControls.core.union(.storeBypass))" == "store bypass, core scheduling")
        let all: SpeculationControls = [.storeBypass, .indirectBranches, .core]
        #expect("\(all)" == "store bypass, indirect branches, core scheduling")
    }

    private func look(on fixture: WardenFixture, _ change: (inout LaunchPlan) -> Void = { _ in }) async throws
        -> [String:
        String]
    {
        var plan = try fixture.plan("speculation")
        change(&plan)
        let run = try fixture.launch(plan)
        let seen = try await run.world()
        #expect(run.recording.failure == nil)
        #expect(seen["said"] == "speculation")
        return seen
    }

    @Test(arguments: [false, true])
    func `the program finds exactly the reported controls in force`(reaper: Bool) async throws {
        let fixture = try WardenFixture()
        let controls = fixture.warden.controls
        let (one, other) = try await (
            look(on: fixture) { $0.hasReaper = reaper }, look(on: fixture) { $0.hasReaper = reaper }
        )
        for (name, control) in zip(
            ["store bypass", "indirect branches"], [.storeBypass, .indirectBranches] as [SpeculationControls])
        {
            let answer = try #require(Int(one[name] ?? ""))
            let isOff = answer > 0 && (answer & Self.forced != 0 || answer == Self.off)
            #expect(isOff == controls.contains(control), "\(name): \(answer)")
        }
        let cookies = (one["cookie"], other["cookie"])
        #expect((cookies.0 != "0") == controls.contains(.core))
        #expect(cookies.0 != cookies.1 || !controls.contains(.core))
    }

    @Test func `without the speculation layer the program has the controls of its host`() async throws {
        let fixture = try WardenFixture()
        let seen = try await look(on: fixture) { $0.layers.remove(.speculation) }
        #expect(seen["cookie"] == "0")
    }

    @Test func `a failure names the control that was denied`() throws {
        let plan = try WardenFixture().plan("speculation")
        let known = LaunchSubjects(plan)
        let subjects = (0...3).map { known.subject(of: .speculation, detail: $0) }
        #expect(subjects == ["store bypass", "indirect branches", "core scheduling", nil])
        #expect(LaunchFailure.dispensable(.speculation, errno: EPERM, detail: 0) == [.speculation])
        #expect(LaunchFailure.remedy(.speculation, errno: ENOMEM)?.contains("memory") == true)
    }
}
