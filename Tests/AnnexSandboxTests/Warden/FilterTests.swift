import AnnexLinux
import Foundation
import Testing

@testable import AnnexLaunch

@Suite(.timeLimit(.minutes(20))) struct FilterTests {
    @Test func `only the exec with the nonce of the launch passes the filter`() async throws {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("exec")
        plan.layers.insert(.seccomp)
        plan.filter = Bpf.oneExec(nonce: WardenFixture.nonce)
        let run = try fixture.launch(plan)
        let world = try await run.world()
        #expect(world["execve"] == "\(EPERM)")
        #expect(world["execveat"] == "\(EPERM)")
        #expect(run.recording.layers?.contains(.seccomp) == true)
    }

    @Test func `a filter with another nonce lets nothing execute`() async throws {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("exec")
        plan.layers.insert(.seccomp)
        plan.filter = Bpf.oneExec(nonce: WardenFixture.nonce + 1)
        let run = try fixture.launch(plan)
        await run.recording.finish()
        #expect(run.recording.order == [.started, .failed, .ended])
        #expect(run.recording.failure?.step == .exec)
        #expect(run.recording.failure?.errno == EPERM)
    }

    /// A failure of the filter must not look like a success.
    @Test func `a filter that kills the report is a failure and not an execution`() async throws {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("exec")
        plan.layers.insert(.seccomp)
        plan.filter = Bpf.oneExec(nonce: WardenFixture.nonce, killing: Bpf.Call.write)
        let run = try fixture.launch(plan)
        await run.recording.finish()
        #expect(run.recording.order == [.started, .failed, .ended])
        #expect(run.recording.failure == LaunchFailure(.exec, errno: 0, subject: "/app/program"))
        #expect(run.recording.end?.signal == SIGSYS)
    }

    @Test func `SEC-07: the listener arrives before the program runs and gets its calls`() async throws {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("parent")
        plan.layers.insert(.seccomp)
        plan.filterFlags = 1 << 3
        plan.filter = Bpf.oneExec(nonce: WardenFixture.nonce, notifying: Bpf.Call.getppid)
        let run = try fixture.launch(plan)
        #expect(await run.recording.waits(for: .executed))
        #expect(run.recording.order == [.started, .listener, .executed])
        try answer(run.recording.takeListener())
        let world = try await run.world()
        #expect(world["getppid"] == "-1")
        #expect(world["errno"] == "\(EXDEV)")
    }

    /// If there is no listener to decide, the call is refused.
    @Test func `without a listener the calls that need one are denied`() async throws {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("parent")
        plan.layers.insert(.seccomp)
        plan.filterFlags = 1 << 3
        plan.filter = Bpf.oneExec(nonce: WardenFixture.nonce, notifying: Bpf.Call.getppid)
        let run = try fixture.launch(plan)
        #expect(await run.recording.waits(for: .listener))
        guard let listener = run.recording.takeListener() else { throw CancellationError() }
        close(listener)
        let world = try await run.world()
        #expect(world["getppid"] == "-1")
        #expect(world["errno"] == "\(ENOSYS)")
    }

    private func close(_ listener: consuming Descriptor) {}

    private func answer(_ listener: consuming Descriptor?) throws {
        guard let listener else { throw CancellationError() }
        while true {
            guard let call = try HeldCall.receive(from: listener) else { continue }
            #expect(call.number == Int32(Bpf.Call.getppid))
            call.deny(EXDEV, on: listener)
            return
        }
    }

    @Test(.enabled(if: (try? LandlockVersion.ofKernel()) != nil, "this kernel has no Landlock"))
    func `Landlock denies access without a rule`() async throws {
        let fixture = try WardenFixture()
        let data = try fixture.directory("data")
        chmod(data.path, 0o777)
        var plan = try fixture.plan("world", "/app", "/data")
        try plan.bind(WardenFixture.open(data), at: "/data", access: .writable)
        plan.layers.insert(.landlock)
        plan.landlock.files = try LandlockVersion.ofKernel().files
        plan.landlock.rules = [.init("/app", access: LandlockRights.reading.union(.execute).rawValue)]
        let run = try fixture.launch(plan)
        let world = try await run.world()
        #expect(run.recording.failure == nil)
        #expect(world["/app.read"] == "0")
        #expect(world["/data.read"] == "\(EACCES)")
        #expect(world["/data.write"] == "\(EACCES)")
    }

    @Test(.enabled(if: (try? LandlockVersion.ofKernel()) != nil, "this kernel has no Landlock"))
    func `a Landlock rule for a missing path fails by name`() async throws {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("world")
        plan.layers.insert(.landlock)
        plan.landlock.files = try LandlockVersion.ofKernel().files
        plan.landlock.rules = [.init("/app", access: 4), .init("/nowhere", access: 4)]
        let run = try fixture.launch(plan)
        await run.recording.finish()
        #expect(run.recording.failure?.step == .landlock)
        #expect(run.recording.failure?.subject == "/nowhere")
        #expect(run.recording.failure?.errno == ENOENT)
    }
}

extension ProcessEnd {
    var signal: Int32? {
        guard case .signalled(let signal, _) = self else { return nil }
        return signal
    }
}
