import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch

/// The warden makes a mount namespace without any of the host's mounts. After that, root's sandboxes begin in this
/// namespace.
@Suite(.timeLimit(.minutes(20))) struct BareNamespaceTests {
    @Test func `the first and the later sandboxes of a warden look the same inside`() async throws {
        let fixture = try WardenFixture()
        let first = try await fixture.launch(fixture.plan("world")).world()
        let second = try await fixture.launch(fixture.plan("world")).world()
        await waitsForBare(on: fixture)
        let third = try await fixture.launch(fixture.plan("world")).world()
        #expect(first == second && first == third && first["root"] == "app" && first["root.write"] == "\(EROFS)")
    }

    @Test func `a program that unmounts its root finds no files of the host`() async throws {
        let fixture = try await WardenFixture.launchedOnce()
        for isFirst in [true, false] {
            let dug = try await fixture.launch(withEveryRight(on: fixture)).world()
            #expect(dug["root"] == "app" && dug["said"] == "dig", "\(dug)")
            #expect(["", "app"].contains(dug["beneath"]), "\(dug)")
            #expect(dug["beneath.parent"] == "\(ENOENT)" && dug["beneath.write"] != "0", "\(dug)")
            if geteuid() == 0, !isFirst {
                #expect(dug["taken"] == "0" && dug["entered"] == "0" && dug["beneath"] == "", "\(dug)")
                #expect(dug["beneath.remount"] == "\(EPERM)" && dug["beneath.write"] == "\(EROFS)", "\(dug)")
            }
            await waitsForBare(on: fixture)
        }
    }

    @Test func `each sandbox has its own mount namespace and the warden stays in that of the host`() async throws {
        let fixture = try await WardenFixture.launchedOnce()
        let host = try #require(namespace(of: getpid()))
        var seen = [host]
        var runs: [Recording] = []
        for _ in 0..<4 {
            let run = try fixture.launch(fixture.plan("stay")).recording
            #expect(await run.waits(for: .executed))
            let own = try #require(namespace(of: run.process))
            #expect(!seen.contains(own))
            seen.append(own)
            runs.append(run)
            await waitsForBare(on: fixture)
            #expect(namespace(of: fixture.warden.number) == host)
            #expect(link("/proc/\(fixture.warden.number)/root") == link("/proc/self/root"))
            #expect(link("/proc/\(fixture.warden.number)/cwd") == "/")
        }
    }

    @Test func `plans that need mounts of the host begin outside the bare namespace`() async throws {
        let fixture = try await WardenFixture.launchedOnce()
        let other = try fixture.launch(fixture.plan("stay")).recording
        #expect(await other.waits(for: .executed))
        await waitsForBare(on: fixture)
        var plan = try fixture.plan("world")
        plan.hasProc = true
        let withProc = try await fixture.launch(plan).world()
        #expect(withProc["proc"] == "0" && withProc["root"] == "app,proc", "\(withProc)")
        let run = try fixture.launch(withTheHostsMounts(on: fixture)).recording
        #expect(await run.waits(for: .executed))
        #expect(namespace(of: run.process) == namespace(of: getpid()))
    }

    @Test func `a launch that fails in the bare namespace does not harm the next`() async throws {
        let fixture = try await WardenFixture.launchedOnce()
        let other = try fixture.launch(fixture.plan("stay")).recording
        #expect(await other.waits(for: .executed))
        await waitsForBare(on: fixture)
        for step in [LaunchStep.clone, .maps, .root, .pivot] {
            var plan = try fixture.plan("world")
            plan.fault = (step, EIO)
            let failed = try fixture.launch(plan)
            await failed.recording.finish()
            #expect(failed.recording.failure?.step == step)
            #expect(try await fixture.launch(fixture.plan("world")).world()["root"] == "app")
        }
    }

    /// A plan that no policy gives. Its process is root of its user namespace, with all rights there.
    private func withEveryRight(on fixture: WardenFixture) throws -> LaunchPlan {
        var plan = try fixture.plan("dig")
        plan.layers.subtract([.capabilities, .noNewPrivileges])
        plan.insideUser = 0
        plan.insideGroup = 0
        return plan
    }

    private func withTheHostsMounts(on fixture: WardenFixture) throws -> LaunchPlan {
        let program = fixture.folder.appending(path: "app/program")
        var plan = try LaunchPlan(
            executable: program.path, checked: try WardenFixture.open(program), outsideUser: WardenFixture.outside.user,
            outsideGroup: WardenFixture.outside.group)
        plan.layers = SandboxLayers.all.subtracting([.landlock, .seccomp, .mount, .root])
        plan.arguments = ["program", "1", "stay"]
        return plan
    }

    /// Waits until the warden has made a second mount namespace and has returned from it. If the warden makes none, the
    /// function returns at once.
    private func waitsForBare(on fixture: WardenFixture) async {
        guard geteuid() == 0 else { return }
        let warden = fixture.warden.number
        let host = namespace(of: getpid())
        await eventually {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(warden)/fd")) ?? []
            let held = names.compactMap { link("/proc/\(warden)/fd/\($0)") }.filter { $0.hasPrefix("mnt:") }
            return Set(held).count == 2 && namespace(of: warden) == host
        }
    }

    private func namespace(of process: Int32) -> String? { link("/proc/\(process)/ns/mnt") }

    private func link(_ path: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: path)
    }
}
