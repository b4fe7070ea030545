import AnnexLinux
import AnnexPolicy
import AnnexTestSupport
import Dispatch
import Glibc
import Synchronization
import Testing

@testable import AnnexLaunch
@testable import AnnexSandbox

@Suite(.timeLimit(.minutes(20))) struct LauncherTests {
    @Test func `a warden that was killed is replaced`() async throws {
        let launcher = try Launcher.start()
        defer { launcher.shutDown() }
        let first = try launcher.warden()
        #expect(try launcher.warden() === first)
        kill(first.number, SIGKILL)
        while !first.isLost { try await Task.sleep(for: .milliseconds(2)) }
        let second = try launcher.warden()
        #expect(second.number != first.number)
        #expect(!second.isLost)
    }

    @Test(.enabled(if: ControlGroupHierarchy.find() != nil, "no control group can be made here"))
    func `without a process namespace the processes of a program end with its group`() throws {
        let launcher = try Launcher.start()
        defer { launcher.shutDown() }
        let script = "setsid sleep 1000 > /dev/null 2>&1 & echo $!; exit 3"
        let prepared = try Sandbox(policy: .shipped(named: "tool"))
            .prepare(SandboxProgram("/bin/sh", arguments: ["-c", script]), streams: DescriptorList())
        var configuration = prepared.takeConfiguration()
        configuration.layers.remove(.process)
        let outcome = Outcome<SandboxEnd>()
        _ = try launcher.launch(configuration) { event in
            guard case .ended(let end) = event else { return }
            outcome.record(end)
            outcome.finish()
        }
        let end = try #require(outcome.wait(atMost: .seconds(600)))
        #expect(end.failure == nil && end.process == .exited(code: 3), "\(end)")
        let said = String(decoding: end.output.bytes, as: UTF8.self)
        let left = try #require(Int32(said.split(separator: "\n").first ?? ""))
        #expect(WardenState.isGone(left))
    }

    @Test func `a killed warden is replaced before the event loop reports its end`() throws {
        let launcher = try Launcher.start()
        defer { launcher.shutDown() }
        let first = try launcher.warden()
        // The loop is blocked, as it may be on a busy machine.
        let (isHeld, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        launcher.loop.execute {
            isHeld.signal()
            isDone.wait()
        }
        defer { isDone.signal() }
        isHeld.wait()
        kill(first.number, SIGKILL)
        while !WardenState.isGone(first.number) { usleep(1000) }
        #expect(first.isLost)
    }

    /// Nothing except the control group would end the child, and the next launch may have the same user.
    @Test(.enabled(if: ControlGroupHierarchy.find() != nil, "no control group can be made here"))
    func `without a process namespace children end with the first process`() async throws {
        let launcher = try Launcher.start()
        defer { launcher.shutDown() }
        let sandbox = Sandbox(policy: try .shipped(named: "tool"))
        let marker = "\(UInt32.random(in: 1_000_000 ... 2_000_000_000))"
        let program = SandboxProgram("/bin/sh", arguments: ["-c", "sleep \(marker) & exit 3"])
        var prepared = try sandbox.prepare(program, streams: DescriptorList())
        prepared.configuration.layers.remove(.process)
        let end = Mutex<SandboxEnd?>(nil)
        let process = try launcher.launch(prepared.takeConfiguration()) { event in
            if case .ended(let last) = event { end.withLock { $0 = last } }
        }
        await eventually { end.withLock { $0 != nil } }
        _ = process
        #expect(end.withLock { $0?.failure } == nil)
        let living = ProcText.names(in: "/proc").filter { name in
            Int32(name) != nil && (TextFile.read("/proc/\(name)/cmdline") ?? "").contains(marker)
        }
        #expect(living.isEmpty)
    }

    @Test func `a launch whose processes have no known numbers is rejected`() {
        #expect(throws: SandboxError.self) { try Launcher.rejectUnnumbered(depth: nil) }
        #expect(throws: Never.self) { try Launcher.rejectUnnumbered(depth: 1) }
    }
}
