import AnnexBroker
import AnnexHost
import AnnexModel
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

/// The life of one extension in its sandbox: what ends it, and what it hears before.
@Suite(.timeLimit(.minutes(20))) struct LifeTests {
    // Its folder stays for as long as the test runs.
    private let app: SubstituteApp

    init() throws {
        app = try SubstituteApp(running: "works-on")
    }

    private func host(_ adjust: @escaping @Sendable (inout PolicyLimits) -> Void) throws -> AnnexHost {
        let host = AnnexHost(service: try Broker(patience: .patience, adjust: adjust))
        try host.install(app: app.path)
        return host
    }

    private func begin(_ host: AnnexHost) async throws -> ExtensionSession {
        try await host.begin(SubstituteApp.identifier)
    }

    private func text(_ session: ExtensionSession, _ words: String) async throws -> String? {
        try await session.request([ExtensionItem(contentText: words)]).first?.contentText
    }

    /// The end that a request meets instead of an answer.
    private func ending(_ session: ExtensionSession, _ words: String) async throws -> Termination? {
        do {
            _ = try await session.request([ExtensionItem(contentText: words)])
            return nil
        } catch HostError.ended(let termination) {
            return termination
        }
    }

    // MARK: The watchdog

    @Test func `L3: a busy extension that answers the watchdog lives on`() async throws {
        let session = try await begin(host { $0.watchdog = .seconds(3) })
        #expect(try await text(session, "looks 7000") == "looked")
        let end = await session.complete()
        #expect(end.reason == .completed, "\(end)")
    }

    @Test(arguments: ["spins", "sleeps"])
    func `L3: a hung extension is ended, and others are not delayed`(_ conduct: String) async throws {
        let host = try host { $0.watchdog = .milliseconds(500) }
        let other = try await begin(host)
        let session = try await begin(host)
        let hung = Task { try await ending(session, conduct) }
        #expect(try await text(other, "looks 50") == "looked")
        let end = try #require(try await hung.value)
        #expect(end.reason == .unresponsive, "\(end)")
        #expect("\(end.detail)".contains("0.5 seconds"), "\(end)")
        #expect(await other.complete().reason == .completed)
    }

    @Test func `SIG-04: a stopped extension is ended`() async throws {
        let session = try await begin(host { $0.watchdog = .milliseconds(500) })
        let stopped = try #require(process())
        #expect(kill(stopped, SIGSTOP) == 0)
        let end = try #require(try await ending(session, "looks 1"))
        #expect(end.reason == .unresponsive, "\(end)")
        #expect(process() == nil)
    }

    /// The process that runs this test's own copy of the program.
    private func process() -> Int32? {
        var wanted = stat()
        guard stat(app.path + "/PlugIns/Loud.appex/Loud", &wanted) == 0 else { return nil }
        return ProcessTable.children(of: ProcessTable.wardens(of: getpid())).first { process in
            var found = stat()
            return stat("/proc/\(process)/exe", &found) == 0 && found.st_ino == wanted.st_ino
                && found.st_dev == wanted.st_dev
        }
    }

    // MARK: Memory

    @Test func `L2: an extension hears that its memory runs out before it does`() async throws {
        let session = try await begin(host { $0.memory = 64 << 20 })
        let answer = try #require(try await text(session, "grows"))
        #expect(answer.hasPrefix("warned at "), "\(answer)")
        let count = try #require(Int(answer.dropFirst(10)))
        #expect(count > 32 && count < 64, "\(answer)")
        #expect(await session.complete().reason == .completed)
    }

    // MARK: Grace

    @Test func `L5: what an extension does after its answer may end in its grace`() async throws {
        let session = try await begin(host { $0.grace = .seconds(2) })
        #expect(try await text(session, "tidies") == "tidying")
        let end = await session.complete()
        #expect(end.reason == .completed, "\(end)")
        #expect(end.lastOutput.map(\.description) == ["called with [false, true]"], "\(end)")
    }

    @Test func `L5: an extension that works on after its grace is ended, and told as that`() async throws {
        let session = try await begin(host { $0.grace = .seconds(1) })
        #expect(try await text(session, "overstays") == "staying")
        let end = await session.complete()
        #expect(end.reason == .graceExpired, "\(end)")
        #expect("\(end.detail)".contains("a long"), "\(end)")
        #expect(!"\(end.detail)".contains("\u{1B}"))
        #expect(end.lastOutput.map(\.description) == ["called with false", "called with true"], "\(end)")
    }

    // MARK: Places

    @Test func `L1: one more than may run at once waits for a place, and is told how long`() async throws {
        let host = try host { $0.instances = 1 }
        let first = try await begin(host)
        #expect(first.launchReport.waited < .seconds(60))
        let second = Task { try await begin(host) }
        try await Task.sleep(for: .milliseconds(200))
        #expect(await first.complete().reason == .completed)
        let session = try await second.value
        #expect(session.launchReport.waited > .milliseconds(50), "\(session.launchReport.waited)")
        #expect(await session.complete().reason == .completed)
    }
}
