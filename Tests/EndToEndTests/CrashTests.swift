import AnnexEmbedded
import AnnexHost
import AnnexModel
import AnnexTestSupport
import Foundation
import Testing

/// The report of a crash: the function in which it happened, and that function's callers.
@Suite(.timeLimit(.minutes(20))) struct CrashTests {
    private let app: SubstituteApp
    private let folder: TemporaryFolder

    init() throws {
        app = try SubstituteApp(running: "crashes-as-told")
        folder = try TemporaryFolder()
    }

    private var place: String { folder.url.appending(path: "reports").path }

    private func host() throws -> AnnexHost {
        try AnnexHost.embedded(apps: [app.path], patience: .patience, holdsBack: false, reports: .folder(place))
    }

    private func end(_ host: AnnexHost, _ way: String) async throws -> Termination {
        do {
            _ = try await host.begin(SubstituteApp.identifier).request([ExtensionItem(contentText: way)])
            throw HostError.invalidRequest("answered")
        } catch HostError.ended(let end) {
            return end
        }
    }

    /// The signal of a crash.
    private func crash(_ host: AnnexHost, _ way: String) async throws -> Signal {
        let end = try await end(host, way)
        guard case .signal(let signal) = end.detail, end.reason == .crashed else { throw HostError.ended(end) }
        return signal
    }

    /// The function names in a backtrace, without places.
    private func names(_ signal: Signal) -> [String] {
        signal.backtrace.map { String($0.description.prefix { $0 != " " }) }
    }

    private static let ways: [(way: String, signals: [Int32], function: String)] = [
        ("traps", [SIGILL, SIGTRAP], "extension_fixture.trap"), ("writes", [SIGSEGV], "crash_through_null"),
        ("overflows", [SIGSEGV], "extension_fixture.overflow"), ("aborts", [SIGABRT], "extension_fixture.quit"),
        ("stops", [SIGTRAP], "crash_at_a_breakpoint"), ("jumps", [SIGSEGV], "crash_to_nowhere"),
    ]

    @Test(arguments: ways)
    func `L6: a crash names its function and the callers`(
        _ way: String, _ signals: [Int32], _ function: String
    ) async throws {
        let signal = try await crash(host(), way)
        #expect(signals.contains(signal.number), "\(signal)")
        let names = names(signal)
        let depth = try #require(names.firstIndex(of: function), "\(names)")
        #expect(way == "overflows" || names[(depth + 1)...].first == "extension_fixture.crash", "\(names)")
        #expect(names.count <= 32)
        #expect(way != "traps" || signal.message?.description.contains("a trap of its own") == true, "\(signal)")
    }

    @Test func `L6: a daemon reports the backtrace of a crash too`() async throws {
        let daemon = try await TestDaemon()
        let host = try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
        try await host.install(app: app.path)
        #expect(names(try await crash(host, "writes")).prefix(2) == ["crash_through_null", "extension_fixture.crash"])
    }

    @Test func `L6: the crash of a parked extension has a backtrace too`() async throws {
        let standby = try await host().standby(for: SubstituteApp.identifier, keeping: 1...1)
        await eventually { standby.count == 1 }
        do {
            _ = try await standby.request([ExtensionItem(contentText: "writes")])
            Issue.record("answered")
        } catch HostError.ended(let end) {
            guard case .signal(let signal) = end.detail else { throw HostError.ended(end) }
            #expect(names(signal).first == "crash_through_null", "\(names(signal))")
        }
    }

    @Test func `L6: the report of a crash keeps the backtrace and annex reports shows it`() async throws {
        let signal = try await crash(host(), "traps")
        func files() -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []).filter { $0.hasSuffix(".json") }
        }
        await eventually { !files().isEmpty }
        let data = try Data(contentsOf: URL(filePath: "\(place)/\(try #require(files().first))"))
        let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(report["backtrace"] as? [String] == signal.backtrace.map(\.description))
        let shown = try await Program.annex("reports", SubstituteApp.identifier, "--folder", place, in: folder)
        #expect(shown.output.contains("extension_fixture.trap"), "\(shown)")
    }

    // MARK: Other handlers, and lies

    @Test func `a crash handler of the extension itself has precedence`() async throws {
        let end = try await end(host(), "handles")
        #expect(end.reason == .exited && end.detail == .exitCode(7), "\(end)")
    }

    @Test func `DEPUTY-07: false crash reports of an extension change no reason`() async throws {
        let host = try host()
        let exited = try await end(host, "lies")
        #expect(exited.reason == .exited && exited.detail == .exitCode(5), "\(exited)")
        #expect(exited.denials.map(\.name) == ["tgkill"] && exited.denials.first?.count == 2, "\(exited.denials)")
        let crashed = try await crash(host, "lies and writes")
        #expect(crashed.number == SIGSEGV && names(crashed) == ["crash_in_words"], "\(names(crashed))")
        let aborted = try await crash(host, "lies and aborts")
        #expect(aborted.number == SIGABRT && aborted.backtrace.isEmpty, "\(names(aborted))")
    }

    @Test(arguments: ways.filter { $0.way != "aborts" } + [("is sent a signal", [SIGSEGV], "")])
    func `a program that crashes without a listener ends by the same signal`(
        _ way: String, _ signals: [Int32], _ function: String
    ) async throws {
        let run = try await Program.run("crashes-as-told", [way], in: folder)
        #expect(signals.contains(run.status), "\(run)")
    }
}
