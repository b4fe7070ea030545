import AnnexLinux
import Foundation
import Testing

@testable import AnnexLaunch

@Suite(.timeLimit(.minutes(20))) struct DescriptorsTests {
    @Test func `LIFE-04: a program has exactly the descriptors of its plan`() async throws {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("world")
        for number: Int32 in [3, 40, 17, 1000] {
            plan.give(try Descriptor.open("/dev/null", O_RDONLY), as: number)
        }
        let world = try await fixture.launch(plan).world()
        #expect(world["descriptors"] == "0,1,2,3,17,40,1000")
    }

    @Test func `a program without gifts has not even the first three descriptors`() async throws {
        let fixture = try WardenFixture()
        let program = try WardenFixture.open(fixture.folder.appending(path: "app/program"))
        var plan = try LaunchPlan(
            executable: "/app/program", checked: program, outsideUser: WardenFixture.outside.user,
            outsideGroup: WardenFixture.outside.group)
        plan.layers = SandboxLayers.all.subtracting([.landlock, .seccomp])
        plan.arguments = ["program", "1", "world"]
        plan.environment = ["SWIFT_ROOT=/"]
        try plan.bind(WardenFixture.open(fixture.folder.appending(path: "app")), at: "/app")
        let world = try await fixture.launch(plan).world()
        #expect(world["descriptors"] == "1")
    }

    /// Each descriptor's target number is the source number of another one in the warden. So the numbers cross in any
    /// order.
    @Test func `gifts whose numbers cross get the right numbers`() async throws {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("world")
        for number: Int32 in (3..<40).reversed() {
            plan.give(try Descriptor.open("/dev/null", O_RDONLY), as: number)
        }
        let world = try await fixture.launch(plan).world()
        #expect(world["descriptors"] == (0..<40).map(String.init).joined(separator: ","))
    }

    @Test func `a low limit of files does not bind the launch itself`() async throws {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("world")
        plan.limits = [ResourceLimit(UInt32(RLIMIT_NOFILE.rawValue), bound: 3)]
        let world = try await fixture.launch(plan).world()
        #expect(world["files_soft"] == "3" && world["files_hard"] == "3")
        #expect(world["said"] == "world")
    }

    @Test func `a limit above that of the host fails by name`() async throws {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("world")
        plan.limits = [
            ResourceLimit(UInt32(RLIMIT_NOFILE.rawValue), bound: 64),
            ResourceLimit(UInt32(RLIMIT_CORE.rawValue), bound: 1 << 30),
        ]
        let run = try fixture.launch(plan)
        await run.recording.finish()
        #expect(run.recording.failure?.step == .limits)
        #expect(run.recording.failure?.errno == EPERM)
        #expect(run.recording.failure?.subject == "resource \(RLIMIT_CORE.rawValue)")
        #expect(run.recording.failure?.remedy != nil)
    }
}
