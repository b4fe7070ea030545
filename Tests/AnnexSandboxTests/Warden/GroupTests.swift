import AnnexLinux
import Foundation
import Testing

@testable import AnnexLaunch

/// A sandbox is in its control groups before it does anything. The groups are removed when all its processes have
/// ended.
@Suite(
    .timeLimit(.minutes(20)),
    .enabled(if: ControlGroupHierarchy.find() != nil, "no control group can be made here"))
struct GroupTests {
    @Test func `START-02: a program begins in its control groups and sees them as the root`() async throws {
        let fixture = try WardenFixture()
        let hierarchy = try #require(ControlGroupHierarchy.find())
        let group = try ControlGroup(in: hierarchy, memoryLimit: 64 << 20, processLimit: 8)
        let run = try fixture.launch(plan(in: group, hierarchy, fixture))
        #expect(await run.recording.waits(for: .executed))
        let places = try String(contentsOfFile: "/proc/\(run.recording.process)/cgroup", encoding: .utf8)
        for directory in group.directories {
            #expect(places.contains("/" + (directory.split(separator: "/").last ?? "")))
        }
        try run.recording.kill()
        await run.recording.finish()
        #expect(group.memoryUse().peak ?? 0 > 0)
    }

    @Test func `a warden that ends removes the control groups of its sandboxes`() async throws {
        let fixture = try WardenFixture()
        let hierarchy = try #require(ControlGroupHierarchy.find())
        let group = try ControlGroup(in: hierarchy, memoryLimit: 64 << 20, processLimit: 8)
        var plan = try plan(in: group, hierarchy, fixture)
        plan.removals = group.directories
        let run = try fixture.launch(plan)
        #expect(await run.recording.waits(for: .executed))
        fixture.warden.shutDown()
        for directory in group.directories { #expect(!FileManager.default.fileExists(atPath: directory)) }
    }

    @Test func `a warden that ends removes the group above its sandboxes too`() async throws {
        let fixture = try WardenFixture()
        let hierarchy = try #require(ControlGroupHierarchy.find())
        let node = try ControlGroupNode(in: hierarchy, GroupShare())
        var group = try ControlGroup(in: node.hierarchy, below: node, named: OwnedName.next())
        try group.limit(memory: 64 << 20, processes: 8)
        var plan = try plan(in: group, node.hierarchy, fixture)
        // The upper group is busy until the other groups are removed.
        plan.removals = node.directories + group.directories
        let run = try fixture.launch(plan)
        #expect(await run.recording.waits(for: .executed))
        fixture.warden.shutDown()
        for directory in node.directories { #expect(!FileManager.default.fileExists(atPath: directory)) }
    }

    @Test func `a group that cannot be joined fails at its step`() async throws {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("world")
        plan.join(tasks: try Descriptor.open("/dev/full", O_WRONLY))
        let run = try fixture.launch(plan)
        await run.recording.finish()
        #expect(run.recording.failure?.step == .cgroup)
        #expect(run.recording.failure?.errno == ENOSPC)
    }

    private func plan(
        in group: borrowing ControlGroup, _ hierarchy: ControlGroupHierarchy, _ fixture: WardenFixture
    ) throws -> LaunchPlan {
        var plan = try fixture.plan("stay")
        switch hierarchy.version {
        case .two: plan.begin(in: try Descriptor.directory(group.memory))
        case .one:
            for directory in group.directories {
                plan.join(tasks: try Descriptor.open(directory + "/tasks", O_WRONLY))
            }
        }
        return plan
    }
}
