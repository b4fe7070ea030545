import AnnexLinux
import Foundation
import Testing

@testable import AnnexLaunch

/// A process in a sandbox sees the world that its plan describes.
@Suite(.timeLimit(.minutes(20))) struct WorldTests {
    @Test func `START-08: a program has an unprivileged user and no capabilities`() async throws {
        let world = try await world()
        #expect(world["uid"] == "65534" && world["euid"] == "65534" && world["gid"] == "65534")
        #expect(world["capabilities"] == "0" && world["bounding"] == "0" && world["ambient"] == "0")
        #expect(world["securebits"] == "239")
        #expect(world["no_new_privs"] == "1")
        #expect(world["death_signal"] == "9")
        #expect(world["groups"] == "0" || geteuid() != 0, "only root can leave its groups behind")
    }

    @Test func `a program is the first of its own processes and session`() async throws {
        let world = try await world()
        #expect(world["pid"] == "1" && world["session"] == "1")
        #expect(world["umask"] == "63")
        #expect(world["blocked_signals"] == "0" && world["ignored_signals"] == "0")
        #expect(world["core"] == "1", "0 would still run a core_pattern that is a pipe")
    }

    @Test func `the new root holds only the binds of the plan`() async throws {
        let world = try await world()
        #expect(world["root"] == "app")
        #expect(world["root.write"] == "\(EROFS)")
        #expect(world["root.parent"] == "\(ENOENT)")
        #expect(world["proc"] == "\(ENOENT)")
        #expect(world["directory"] == "/")
    }

    @Test func `no names, keys or network of the host are visible`() async throws {
        let world = try await world()
        #expect(world["hostname"] == "elsewhere")
        #expect(world["domain"] == "")
        #expect(world["keyring"] == "\(EACCES)" && world["add_key"] == "\(EACCES)")
        #expect(world["loopback"] == "\(ENETUNREACH)")
    }

    @Test func `START-01: the environment is exactly that of the plan`() async throws {
        let world = try await world()
        let names = world.keys.filter { $0.hasPrefix("env.") }.sorted()
        #expect(names == ["env.GREETING", "env.SWIFT_ROOT"])
        #expect(world["env.GREETING"] == "hello world")
    }

    @Test func `on the host the sandbox is never root`() async throws {
        let fixture = try WardenFixture()
        let run = try fixture.launch(fixture.plan("stay"))
        #expect(await run.recording.waits(for: .executed))
        let status = try String(contentsOfFile: "/proc/\(run.recording.process)/status", encoding: .utf8)
        let user = WardenFixture.outside.user
        #expect(status.contains("Uid:\t\(user)\t\(user)\t\(user)\t\(user)\n"))
        #expect(user != 0)
        try run.recording.kill()
        await run.recording.finish()
        #expect(run.recording.end == .signalled(signal: SIGKILL, core: false))
    }

    @Test func `layers that a plan leaves out are not built`() async throws {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("world")
        plan.layers.remove(.hostname)
        plan.layers.remove(.noNewPrivileges)
        let run = try fixture.launch(plan)
        let world = try await run.world()
        #expect(run.recording.failure == nil)
        #expect(world["no_new_privs"] == "0")
        #expect(world["hostname"] != "elsewhere")
        #expect(run.recording.layers?.contains(.hostname) == false)
    }

    @Test func `the kernel also holds the promise that writable memory never becomes code`() async throws {
        let fixture = try WardenFixture()
        for isPromised in [true, false] {
            var plan = try fixture.plan("memory")
            plan.layers.insert(.seccomp)
            plan.filter = Bpf.oneExec(nonce: WardenFixture.nonce)
            plan.hasWriteXorExecute = isPromised
            let world = try await fixture.launch(plan).world()
            // Linux before 6.3 does not have this promise, so the value is -1.
            #expect(world["promise"] == (isPromised ? "1" : "0") || world["promise"] == "-1")
            if world["promise"] != "-1" { #expect(world["both"] == (isPromised ? "\(EACCES)" : "0")) }
        }
    }

    @Test func `new files get the mode of the plan`() async throws {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("world")
        plan.fileMask = 0o022
        #expect(try await fixture.launch(plan).world()["umask"] == "18")
    }

    private func world() async throws -> [String: String] {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("world")
        plan.hostname = "elsewhere"
        let run = try fixture.launch(plan)
        let world = try await run.world()
        #expect(run.recording.failure == nil)
        #expect(run.recording.order == [.started, .executed, .ended])
        #expect(run.recording.end == .exited(code: 0))
        #expect(run.recording.layers == SandboxLayers.all.subtracting([.landlock, .seccomp]))
        #expect(world["said"] == "world")
        return world
    }
}
