import AnnexLinux
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnexLaunch

/// If any of the processes dies, no process may be left. The host must see no signal and no child of the warden.
@Suite(.timeLimit(.minutes(20))) struct LifelineTests {
    @Test func `START-03: a killed warden ends its sandboxes and is reported`() async throws {
        let fixture = try WardenFixture()
        let run = try fixture.launch(fixture.plan("stay"))
        #expect(await run.recording.waits(for: .executed))
        kill(fixture.warden.number, SIGKILL)
        await run.recording.finish()
        #expect(run.recording.order == [.started, .executed, .lost])
        // The pipe ends with the process. The process may die before it writes its first line.
        #expect(try ["stay", nil].contains(run.read()["said"]))
        #expect(fixture.warden.isLost)
        #expect(throws: LaunchFailure.self) { try fixture.warden.launch(fixture.plan("stay")) { _ in } }
    }

    @Test func `a warden that shuts down ends its sandboxes`() async throws {
        let fixture = try WardenFixture()
        let run = try fixture.launch(fixture.plan("stay"))
        #expect(await run.recording.waits(for: .executed))
        fixture.warden.shutDown()
        #expect(WardenState.isGone(fixture.warden.number))
        #expect(WardenState.isGone(run.recording.process))
        #expect(run.recording.order == [.started, .executed, .lost])
    }

    @Test func `a report of a loss that is under way comes before the shutdown returns`() async throws {
        let fixture = try WardenFixture()
        let (hasBegun, isTelling, hasReturned) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let order = Mutex<[String]>([])
        let pipe = try DescriptorPair.pipe()
        var plan = try fixture.plan("stay")
        plan.give(try pipe.second.duplicate(), as: 1)
        try fixture.warden.launch(plan) { event in
            switch consume event {
            case .executed: return _ = hasBegun.signal()
            case .wardenLost: isTelling.signal()
            default: return
            }
            // If a shutdown waited for this handler, the wait here would time out.
            _ = hasReturned.wait(timeout: .now() + .milliseconds(300))
            order.withLock { $0.append("told") }
        }
        Thread.detachNewThread {
            hasBegun.wait()
            kill(fixture.warden.number, SIGKILL)
            isTelling.wait()
            fixture.warden.shutDown()
            order.withLock { $0.append("shut down") }
            hasReturned.signal()
        }
        await eventually { order.withLock { $0.count } == 2 }
        #expect(order.withLock { $0 } == ["told", "shut down"])
    }

    @Test func `SIG-04: a stopped warden delays no shutdown and is not left behind`() async throws {
        let fixture = try WardenFixture()
        let run = try fixture.launch(fixture.plan("stay"))
        #expect(await run.recording.waits(for: .executed))
        kill(fixture.warden.number, SIGSTOP)
        fixture.warden.shutDown(patience: .milliseconds(200))
        #expect(run.recording.order == [.started, .executed, .lost])
        await eventually { WardenState.isGone(fixture.warden.number) && WardenState.isGone(run.recording.process) }
    }

    @Test(.enabled(if: hasMute, "no /usr/bin/yes of root's"))
    func `SIG-04: a warden that never sends its first message is given up and ended`() async throws {
        let loop = try EventLoop()
        defer { loop.shutDown() }
        let error = #expect(throws: SystemError.self) {
            try Warden.start(on: loop, programs: [.installed(path: Self.mute)], patience: .milliseconds(300))
        }
        #expect(error?.errno == ETIMEDOUT)
        await eventually { Self.mutes().isEmpty }
    }

    /// A program that writes without end to a pipe that is not read.
    private static let mute = "/usr/bin/yes"
    private static var hasMute: Bool {
        var status = stat()
        return lstat(mute, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_uid == 0
    }

    private static func mutes() -> Set<Int32> {
        ProcessTable.all { ProcText.lines(of: "/proc/\($0)/cmdline").first?.hasPrefix("annex-warden") == true }
            .filter { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/exe")) == mute }
    }

    @Test func `LIFE-01: a host that is killed leaves nothing`() async throws {
        let fixture = try WardenFixture()
        let removal = try fixture.directory("removal")
        let host = try HostProgram("stay", fixture.folder.path, removal.path)
        let warden = try #require(await host.number(of: "warden"))
        let process = try #require(await host.number(of: "process"))
        #expect(!WardenState.isGone(warden) && !WardenState.isGone(process))
        host.kill()
        while !WardenState.isGone(process) || !WardenState.isGone(warden) { await Task.yield() }
        #expect(!FileManager.default.fileExists(atPath: removal.path))
    }

    @Test(arguments: ["handler", "wait", "ignored"]) func `the host sees no signal and no child of the warden`(
        conduct: String
    ) async throws {
        let fixture = try WardenFixture()
        let host = try HostProgram("signals", fixture.folder.path, conduct)
        #expect(await host.value(of: "left") == "false")
        #expect(await host.value(of: "signals") == "0")
        #expect(await host.value(of: "reaped") == "0")
        #expect(await host.value(of: "mask.same") == "true")
    }

    /// Here the host is the first process of a process namespace, as the entry point of a container is.
    @Test func `the first process of a process namespace keeps no warden as a zombie`() async throws {
        let fixture = try WardenFixture()
        let namespaces = ["unshare", geteuid() == 0 ? "-pf" : "-Urpf", "--mount-proc", "--kill-child"]
        let host = try HostProgram(through: namespaces, "signals", fixture.folder.path, "nothing")
        #expect(await host.value(of: "left") == "false")
    }

    @Test func `two hundred launches leave every count as it was`() async throws {
        let fixture = try WardenFixture()
        let host = try HostProgram("repeat", fixture.folder.path, "200")
        let isNoMore = await host.value(of: "no.more")
        let before = await host.value(of: "before")
        let after = await host.value(of: "after")
        #expect(isNoMore == "true", "before: \(before ?? ""), after: \(after ?? "")")
        #expect(await host.value(of: "warden.gone") == "true")
    }

    @Test func `fifty launches at once all end`() async throws {
        let fixture = try WardenFixture()
        var runs: [Recording] = []
        for _ in 0..<50 {
            let recording = Recording()
            try fixture.warden.launch(fixture.plan("exit", "7")) { recording.note($0) }
            runs.append(recording)
        }
        for run in runs {
            await run.finish()
            #expect(run.end == .exited(code: 7))
            #expect(run.order == [.started, .executed, .ended])
        }
    }

    /// The kill may come at any point. Whether the program ran or not, the last report must name the signal that ended
    /// it.
    @Test func `a kill during the launch is reported as a kill`() async throws {
        let fixture = try WardenFixture()
        for _ in 0..<40 {
            let recording = Recording()
            var plan = try fixture.plan("stay")
            plan.give(try Descriptor.open("/dev/null", O_WRONLY), as: 1)
            try fixture.warden.launch(plan) { event in
                recording.note(event)
                if recording.order == [.started] { try? recording.kill() }
            }
            await recording.finish()
            #expect(recording.end == .signalled(signal: SIGKILL, core: false))
            if recording.order.contains(.executed) {
                #expect(recording.order == [.started, .executed, .ended])
            } else {
                #expect(recording.order == [.started, .failed, .ended])
                #expect(recording.failure?.errno == 0)
            }
        }
    }

    /// The warden finds the report and the end at the same time. It must not report that the listener can no longer be
    /// fetched.
    @Test func `a death before the listener was fetched is reported as a death`() async throws {
        let fixture = try WardenFixture()
        for _ in 0..<100 {
            let recording = try await killBeforeTheListener(on: fixture)
            // On a busy machine, the stop of the warden may come too late.
            if recording.order.contains(.listener) { continue }
            #expect(recording.order == [.started, .failed, .ended])
            #expect(recording.failure?.step == .exec && recording.failure?.errno == 0)
            return
        }
        Issue.record("never stopped in time")
    }

    private func killBeforeTheListener(on fixture: WardenFixture) async throws -> Recording {
        let recording = Recording()
        var plan = try fixture.plan("stay")
        plan.give(try Descriptor.open("/dev/null", O_WRONLY), as: 1)
        plan.layers.insert(.seccomp)
        plan.filterFlags = 1 << 3
        plan.filter = Bpf.oneExec(nonce: WardenFixture.nonce, notifying: Bpf.Call.getppid)
        let warden = fixture.warden.number
        try fixture.warden.launch(plan) { event in
            recording.note(event)
            if recording.order == [.started] { kill(warden, SIGSTOP) }
        }
        #expect(await recording.waits(for: .started))
        // The filter of the process is installed, and the process waits after its report.
        await eventually {
            let status = ProcText.lines(of: "/proc/\(recording.process)/status")
            return status.contains("Seccomp:\t2") && status.contains { $0.hasPrefix("State:\tS") }
        }
        try recording.kill()
        kill(warden, SIGCONT)
        await recording.finish()
        return recording
    }

    @Test func `a crash is reported with its signal`() async throws {
        let fixture = try WardenFixture()
        let run = try fixture.launch(fixture.plan("signal", "\(SIGSEGV)"))
        await run.recording.finish()
        #expect(run.recording.end?.signal == SIGSEGV)
        #expect((run.recording.usage?.peakMemory ?? 0) > 0)
    }
}
