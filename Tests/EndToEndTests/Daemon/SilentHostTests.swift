import AnnexBroker
import AnnexDaemon
import AnnexHost
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Logging
import Testing

/// A host that is stopped by a debugger or by a signal, under a daemon with a short watchdog.
@Suite(.timeLimit(.minutes(20))) struct SilentHostTests {
    private let folder: TemporaryFolder
    private let daemon: Daemon
    private let app: SubstituteApp
    private var socket: String { folder.url.path + "/s" }
    private var reports: String { folder.url.path + "/reports" }

    init() throws {
        folder = try TemporaryFolder()
        app = try SubstituteApp(running: "works-on")
        var options = DaemonOptions(state: folder.url.path + "/state", isSystem: false)
        options.wishes.patience = .patience
        options.wishes.reports = .folder(folder.url.path + "/reports")
        options.wishes.adjust = { $0.watchdog = .seconds(2) }
        daemon = try Daemon(
            options, listener: ListeningSocket.made(at: folder.url.path + "/s", isForAll: false),
            logger: Logger(label: "annexd") { _ in SwiftLogNoOpLogHandler() })
        try daemon.start()
    }

    /// Runs a host with one request. Returns the reason in the report about the end of its extension.
    private func reason(
        _ words: String, _ work: (FixtureHost) async throws -> Void
    ) async throws -> String? {
        try AnnexHost.connectAndWait(to: socket, patience: .patience).installAndWait(app: app.path)
        let host = try FixtureHost([socket, "hold", SubstituteApp.identifier, words])
        #expect(try await host.firstLine() == "holds 0")
        try await work(host)
        await eventually { !names.isEmpty }
        daemon.leave()
        let report = try Data(contentsOf: URL(filePath: "\(reports)/\(try #require(names.first))"))
        return (try JSONSerialization.jsonObject(with: report) as? [String: Any])?["reason"] as? String
    }

    private var names: [String] { ProcText.names(in: reports).filter { $0.hasSuffix(".json") } }

    @Test func `L3: the extension of a stopped host is not ended for its silence`() async throws {
        let reason = try await reason("looks 3000000") { host in
            host.signal(SIGSTOP)
            try await Task.sleep(for: .seconds(8))
            #expect(names.isEmpty, "ended while its host stood still")
            host.signal(SIGCONT)
            try await Task.sleep(for: .seconds(1))
            #expect(names.isEmpty, "ended when its host went on")
            host.kill()
        }
        #expect(reason == "hostGone")
    }

    @Test func `L3: an extension that hangs is ended all the same`() async throws {
        #expect(try await reason("sleeps") { _ in } == "unresponsive")
    }
}
