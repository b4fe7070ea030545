import AnnexHost
import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

/// The life of a daemon, and the state that persists after it.
@Suite(.timeLimit(.minutes(20))) struct DaemonLifeTests {
    private let app: SubstituteApp
    private static let app = "com.example.shout"

    init() throws {
        app = try SubstituteApp(running: "works-on")
    }

    private func connect(_ daemon: TestDaemon) throws -> AnnexHost {
        try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
    }

    private func ids(_ host: AnnexHost) -> [String] { host.extensionsAndWait().map(\.id) }

    private func works(_ host: AnnexHost) async throws {
        let session = try await host.begin(SubstituteApp.identifier)
        #expect(try await session.request([ExtensionItem(contentText: "looks 1")]).first?.contentText == "looked")
        #expect(await session.complete().reason == .completed)
    }

    @Test func `asking a dead daemon for its extensions is an error and no empty list`() async throws {
        let daemon = try await TestDaemon()
        let host = try connect(daemon)
        try await host.install(app: app.path)
        #expect(try await host.installed().map(\.id) == [SubstituteApp.identifier])
        #expect(await daemon.end(SIGKILL) == .killed(signal: SIGKILL))
        #expect(throws: BrokerError.self) { try host.installedAndWait() }
        #expect(await host.extensions().isEmpty)
    }

    @Test func `a daemon without a place to listen names the options that give one`() async throws {
        let folder = try TemporaryFolder()
        let nowhere = ["XDG_RUNTIME_DIR": "/nowhere/at/all", "XDG_DATA_HOME": folder.url.path]
        let ran = try await Program.run("annexd", [], in: folder, environment: nowhere)
        #expect(ran.status == 1 && ran.errors.contains("/nowhere/at/all/annex: ENOENT"), "\(ran)")
        #expect(ran.errors.contains("--socket") && ran.errors.contains("XDG_RUNTIME_DIR"), "\(ran)")
    }

    // MARK: Installed apps

    @Test func `P5: installed apps and switches outlast the daemon`() async throws {
        var daemon = try await TestDaemon()
        let folder = daemon.folder
        try await connect(daemon).install(app: app.path)
        #expect(await daemon.end() == .exited(0))
        // The daemon no longer needs the client's copy.
        try FileManager.default.removeItem(atPath: app.path)
        daemon = try await TestDaemon(in: folder)
        try await works(connect(daemon))
        try await connect(daemon).setEnabled(false, for: SubstituteApp.identifier)
        #expect(await daemon.end(SIGKILL) == .killed(signal: SIGKILL))
        daemon = try await TestDaemon(in: folder)
        #expect(ids(try connect(daemon)).isEmpty)
        // After a replacement, the extension stays switched off. It can still be found and switched on.
        let again = try SubstituteApp(running: "works-on")
        #expect(try await connect(daemon).install(app: again.path).map(\.isEnabled) == [false])
        #expect(try await connect(daemon).installed().map(\.id) == [SubstituteApp.identifier])
        try await connect(daemon).setEnabled(true, for: SubstituteApp.identifier)
        try await connect(daemon).remove(app: Self.app)
        #expect(await daemon.end() == .exited(0))
        daemon = try await TestDaemon(in: folder)
        #expect(ids(try connect(daemon)).isEmpty)
        // One request is made, so that the store is opened and cleaned up.
        #expect(folderCount(daemon) == 0)
    }

    @Test func `a store keeps one folder for each app and removes the remains of a kill`()
        async throws
    {
        var daemon = try await TestDaemon()
        for _ in 0..<3 { try await connect(daemon).install(app: app.path) }
        let store = daemon.store
        await eventually { folderCount(daemon) == 1 }
        // The remains of a killed installation: a folder that no index names, and an invalid index.
        let left = store.appending(path: "app-left")
        try FileManager.default.createDirectory(at: left.appending(path: "Half.app"), withIntermediateDirectories: true)
        try Data([1, 2, 3]).write(to: store.appending(path: "index.new"))
        let folder = daemon.folder
        #expect(await daemon.end(SIGKILL) == .killed(signal: SIGKILL))
        daemon = try await TestDaemon(in: folder)
        try await works(connect(daemon))
        #expect(folderCount(daemon) == 1)
        #expect(!FileManager.default.fileExists(atPath: store.appending(path: "index.new").path))
    }

    @Test func `a daemon that is killed during an installation leaves the old app or the new`() async throws {
        var daemon = try await TestDaemon()
        try await connect(daemon).install(app: app.path)
        for pause in [0, 1, 2, 5, 10, 20] {
            let (socket, path, folder) = (daemon.socket, app.path, daemon.folder)
            let installing = Task.detached {
                let host = try AnnexHost.connectAndWait(to: socket, patience: .patience)
                while true { try host.installAndWait(app: path) }
            }
            try await Task.sleep(for: .milliseconds(pause))
            _ = await daemon.end(SIGKILL)
            await #expect(throws: BrokerError.self) { try await installing.value }
            daemon = try await TestDaemon(in: folder)
            try await works(connect(daemon))
            #expect(folderCount(daemon) == 1)
        }
    }

    private func folderCount(_ daemon: TestDaemon) -> Int {
        ProcText.names(in: daemon.store.path).count { $0.hasPrefix("app-") }
    }

    // MARK: The daemon's end

    @Test func `L4: a daemon that is asked to end informs its hosts and ends without delay`() async throws {
        let daemon = try await TestDaemon()
        let host = try connect(daemon)
        try await host.install(app: app.path)
        let session = try await host.begin(SubstituteApp.identifier)
        let asked = Task { try await session.request([ExtensionItem(contentText: "sleeps")]) }
        await eventually { session.statistics.messagesSent > 0 }
        #expect(await daemon.end() == .exited(0))
        await #expect(throws: HostError.self) { try await asked.value }
        #expect(session.termination?.reason == .brokerShutdown, "\(String(describing: session.termination))")
        #expect(ProcessTable.wardens(of: daemon.number).isEmpty)
        let error = #expect(throws: BrokerError.self) { try host.installAndWait(app: app.path) }
        #expect(error?.code == .unreachable && error?.remedy?.contains("connect again") == true)
        #expect(await host.extensions().isEmpty)
        #expect(throws: BrokerError.self) { try AnnexHost.connectAndWait(to: daemon.socket) }
    }

    @Test func `L4: a killed daemon ends its extensions and its hosts learn of it`() async throws {
        let daemon = try await TestDaemon()
        let host = try connect(daemon)
        try await host.install(app: app.path)
        let session = try await host.begin(SubstituteApp.identifier)
        let wardens = ProcessTable.wardens(of: daemon.number)
        let extensions = ProcessTable.children(of: wardens)
        #expect(wardens.count == 1 && extensions.count == 1)
        let asked = Task { try await session.request([ExtensionItem(contentText: "sleeps")]) }
        #expect(await daemon.end(SIGKILL) == .killed(signal: SIGKILL))
        await #expect(throws: HostError.self) { try await asked.value }
        #expect(session.termination?.reason == .brokerShutdown)
        await eventually { !extensions.union(wardens).contains(where: ProcessTable.isThere) }
        let error = #expect(throws: BrokerError.self) { try host.removeAndWait(app: Self.app) }
        #expect(error?.code == .unreachable)
    }

    @Test func `a daemon that starts anew keeps its socket, its process and its apps`() async throws {
        let daemon = try await TestDaemon()
        try await connect(daemon).install(app: app.path)
        for round in 1...3 {
            let host = try connect(daemon)
            let session = try await host.begin(SubstituteApp.identifier)
            let asked = Task { try await session.request([ExtensionItem(contentText: "sleeps")]) }
            await eventually { session.statistics.messagesSent > 0 }
            kill(daemon.number, SIGHUP)
            // If a host connects during this time, it waits, and the new daemon serves it.
            let next = Task.detached { [socket = daemon.socket] in
                try (0..<20).map { _ in try AnnexHost.connectAndWait(to: socket, patience: .patience) }
            }
            await #expect(throws: HostError.self) { try await asked.value }
            #expect(session.termination?.reason == .brokerShutdown)
            #expect(try await next.value.count == 20)
            await eventually { daemon.starts == round + 1 }
            try await works(connect(daemon))
        }
        #expect(daemon.isRunning)
        #expect(await daemon.end() == .exited(0))
    }

    @Test func `a state and a socket each belong to one daemon`() async throws {
        let daemon = try await TestDaemon()
        let folder = try TemporaryFolder()
        let state = try await Program.run(
            "annexd", ["--socket", folder.url.path + "/s", "--state", daemon.folder.url.path + "/state"], in: folder)
        #expect(state.status == 1 && state.errors.contains("another daemon uses this folder"), "\(state.errors)")
        let socket = try await Program.run(
            "annexd", ["--socket", daemon.socket, "--state", folder.url.path + "/state"], in: folder)
        #expect(socket.status == 1 && socket.errors.contains("another daemon listens there"), "\(socket.errors)")
        _ = try connect(daemon)
    }

    // MARK: The host's end

    @Test(arguments: ["hold", "fork-hold"])
    func `L4: a host that is killed ends its extensions even if a child holds its socket`(
        _ command: String
    ) async throws {
        let daemon = try await TestDaemon()
        try await connect(daemon).install(app: app.path)
        let host = try FixtureHost([daemon.socket, command, SubstituteApp.identifier])
        let first = try await host.firstLine()
        #expect(first.hasPrefix("holds "), "\(first)")
        let child = Int32(first.dropFirst(6)) ?? 0
        let extensions = ProcessTable.children(of: ProcessTable.wardens(of: daemon.number))
        #expect(extensions.count == 1)
        host.kill()
        await eventually { extensions.allSatisfy { kill($0, 0) != 0 } }
        if command == "fork-hold" {
            await eventually { daemon.log.contains("the process of the host has ended") }
            #expect(kill(child, 0) == 0, "the child that held everything was to outlive its parent")
            kill(child, SIGKILL)
        }
        try await works(connect(daemon))
    }
}
