import AnnexHost
import AnnexTestSupport
import Foundation
import Testing

/// Signals that come early, late, or more than one at a time.
@Suite(.timeLimit(.minutes(20))) struct DaemonSignalTests {
    private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func hostWithSession(_ daemon: TestDaemon) async throws -> (AnnexHost, ExtensionSession) {
        let app = try SubstituteApp(running: "works-on")
        let host = try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
        try await host.install(app: app.path)
        return (host, try await host.begin(SubstituteApp.identifier))
    }

    @Test(arguments: [[SIGTERM, SIGTERM, SIGTERM], [SIGINT, SIGTERM, SIGHUP], [SIGHUP, SIGTERM]])
    func `further signals while a daemon ends change nothing`(
        _ signals: [Int32]
    ) async throws {
        let daemon = try await TestDaemon()
        let (_, session) = try await hostWithSession(daemon)
        let wardens = ProcessTable.wardens(of: daemon.number)
        let extensions = ProcessTable.children(of: wardens)
        #expect(wardens.count == 1 && extensions.count == 1)
        // While the daemon is stopped, the signals collect. So it finds all of them at once.
        kill(daemon.number, SIGSTOP)
        for signal in signals { kill(daemon.number, signal) }
        kill(daemon.number, SIGCONT)
        #expect(await daemon.end(signals[signals.count - 1]) == .exited(0))
        await eventually { session.termination != nil }
        #expect(session.termination?.reason == .brokerShutdown)
        await eventually { !wardens.union(extensions).contains(where: ProcessTable.isThere) }
        #expect(!isThere(daemon.socket))
        #expect(daemon.starts == 1)
    }

    @Test(arguments: [SIGHUP, SIGTERM]) func `L6: a daemon that restarts or ends loses no report`(
        signal: Int32
    ) async throws {
        let daemon = try await TestDaemon()
        let (host, first) = try await hostWithSession(daemon)
        var sessions = [first]
        for _ in 0..<7 { sessions.append(try await host.begin(SubstituteApp.identifier)) }
        kill(daemon.number, signal)
        for session in sessions { #expect(await session.untilEnd()?.reason == .brokerShutdown) }
        if signal == SIGHUP { await eventually { daemon.starts > 1 } }
        #expect(await daemon.end() == .exited(0))
        let reports = try FileManager.default.contentsOfDirectory(atPath: daemon.reports.path)
        #expect(reports.count { $0.hasSuffix(".json") } == sessions.count, "\(reports)")
    }

    @Test(arguments: [0, 10, 20, 30, 40, 60, 80, 120])
    func `a daemon that is asked to end while it starts anew ends`(_ pause: Int) async throws {
        let daemon = try await TestDaemon()
        kill(daemon.number, SIGHUP)
        try await Task.sleep(for: .milliseconds(pause))
        #expect(await daemon.end() == .exited(0))
        #expect(!isThere(daemon.socket))
    }

    @Test(arguments: [0, 5, 10, 15, 20, 25, 30, 40, 60])
    func `a daemon that is asked to end while it starts leaves no socket`(_ pause: Int) async throws {
        let folder = try TemporaryFolder()
        let child = try ChildProcess(
            ChildProcess.executable("annexd"),
            arguments: ["--socket", folder.url.path + "/s", "--state", folder.url.path + "/state"], errors: .none)
        try await Task.sleep(for: .milliseconds(pause))
        child.signal(SIGTERM)
        // If a signal comes before the program's first line runs, it ends the program.
        #expect([.exited(0), .killed(signal: SIGTERM)].contains(await child.ended()))
        #expect(!isThere(folder.url.path + "/s"))
    }

    @Test func `children of a daemon have no blocked signals and a restart keeps the masks`()
        async throws
    {
        let daemon = try await TestDaemon()
        let first = signals(of: daemon.number)
        for round in 1...2 {
            let (_, session) = try await hostWithSession(daemon)
            let wardens = ProcessTable.wardens(of: daemon.number)
            let extensions = ProcessTable.children(of: wardens)
            #expect(wardens.count == 1 && extensions.count == 1)
            // A warden chooses the signals that it blocks, so they are not checked.
            let found = wardens.flatMap { signals(of: $0, ["SigIgn"]) } + extensions.flatMap { signals(of: $0) }
            #expect(found.count == 3 && found.allSatisfy { $0.hasSuffix("\t0000000000000000") }, "\(found)")
            _ = await session.complete()
            kill(daemon.number, SIGHUP)
            await eventually { daemon.starts == round + 1 }
            #expect(signals(of: daemon.number) == first)
        }
        #expect(await daemon.end() == .exited(0))
        #expect(!isThere(daemon.socket))
    }

    /// The signals that a program's first thread blocks and ignores.
    private func signals(of process: Int32, _ kinds: [String] = ["SigBlk", "SigIgn"]) -> [String] {
        ProcText.lines(of: "/proc/\(process)/status").filter { line in kinds.contains { line.hasPrefix($0) } }
    }
}
