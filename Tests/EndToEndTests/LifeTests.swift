import AnnexBroker
import AnnexBrokerAPI
import AnnexChannel
import AnnexModel
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexHost

/// The life of one extension in its sandbox: the causes of its end, and the warnings before it.
@Suite(.timeLimit(.minutes(20))) struct LifeTests {
    // The app's folder stays as long as the test runs.
    private let app: SubstituteApp

    init() throws {
        app = try SubstituteApp(running: "works-on")
    }

    private func host(_ adjust: @escaping @Sendable (inout PolicyLimits) -> Void) throws -> AnnexHost {
        AnnexHost(service: try broker(adjust))
    }

    private func broker(_ adjust: @escaping @Sendable (inout PolicyLimits) -> Void) throws -> Broker {
        var wishes = BrokerConfiguration()
        wishes.patience = .patience
        wishes.adjust = adjust
        let broker = try Broker(wishes)
        _ = try broker.install(app: app.path)
        return broker
    }

    private func begin(_ host: AnnexHost) async throws -> ExtensionSession {
        try await host.begin(SubstituteApp.identifier)
    }

    private func text(_ session: ExtensionSession, _ words: String) async throws -> String? {
        try await session.request([ExtensionItem(contentText: words)]).first?.contentText
    }

    /// The end that the caller of a request gets instead of an answer.
    private func ending(_ session: ExtensionSession, _ words: String) async throws -> Termination? {
        do {
            _ = try await session.request([ExtensionItem(contentText: words)])
            return nil
        } catch HostError.ended(let termination) {
            return termination
        }
    }

    // MARK: The watchdog

    @Test(arguments: [false, true])
    func `L3: a busy extension that answers the watchdog lives on`(hostBlocks: Bool) async throws {
        let session = try await begin(host { $0.watchdog = .seconds(5) })
        let items = [ExtensionItem(contentText: "looks 11000")]
        // A blocked thread reads the ring itself, including the signs of life.
        let answer =
            hostBlocks
            ? try await Thread.detached { try session.requestAndWait(items) } : try await session.request(items)
        #expect(answer.first?.contentText == "looked")
        let end = await session.complete()
        #expect(end.reason == .completed, "\(end)")
    }

    @Test(arguments: ["spins", "sleeps"])
    func `L3: a hung extension is ended and others are not delayed`(_ conduct: String) async throws {
        let host = try host { $0.watchdog = .seconds(5) }
        let other = try await begin(host)
        let session = try await begin(host)
        let hung = Task { try await ending(session, conduct) }
        #expect(try await text(other, "looks 50") == "looked")
        let end = try #require(try await hung.value)
        #expect(end.reason == .unresponsive, "\(end)")
        #expect("\(end.detail)".contains("5.0 seconds"), "\(end)")
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

    /// Starts a session. When this returns, the extension may not have sent its hello yet.
    private func start(_ broker: Broker) throws -> ExtensionSession {
        let wish = LaunchWish(
            identifier: SubstituteApp.identifier, point: nil, timeLimit: nil, hosted: HostService())
        return try AnnexHost(service: broker).startAndWait(wish, for: .request) { _ in }
    }

    // MARK: Several causes at once

    @Test(arguments: [0, 200, 1000, 5000, 20_000])
    func `LIFE-06: several stops during the start are one end`(after microseconds: Int) async throws {
        let broker = try broker { _ in }
        let session = try start(broker)
        try await Task.sleep(for: .microseconds(microseconds))
        async let first = session.cancel()
        async let second = session.cancel()
        async let third = session.cancel()
        let ends = await [first, second, third]
        #expect(ends.allSatisfy { $0.reason == .cancelled }, "\(ends)")
        await eventually { process() == nil }
    }

    @Test func `LIFE-03: warden and extension outlive the thread that started them`() async throws {
        let session = try await Thread.detached {
            try AnnexHost(service: broker { _ in }).beginAndWait(SubstituteApp.identifier)
        }
        #expect(try await text(session, "looks 50") == "looked")
        #expect(await session.complete().reason == .completed)
    }

    // MARK: The control socket

    @Test func `IPC-10: an extension that sends an empty message ends at once`() async throws {
        let session = try await begin(host { _ in })
        // The answer may arrive before the message does.
        _ = try? await text(session, "mutters")
        let end = try #require(await session.untilEnd())
        #expect(end.reason == .protocolViolation, "\(end)")
        #expect("\(end.detail)".contains("0 bytes"), "\(end)")
    }

    // MARK: Memory

    @Test func `L2: an extension is warned before its memory runs out`() async throws {
        let session = try await begin(host { $0.memory = 64 << 20 })
        let answer = try #require(try await text(session, "grows"))
        #expect(answer.hasPrefix("warned at "), "\(answer)")
        let count = try #require(Int(answer.dropFirst(10)))
        #expect(count > 32 && count < 64, "\(answer)")
        #expect(await session.complete().reason == .completed)
    }

    // MARK: Grace

    @Test func `L5: work of an extension after its answer may end in its grace`() async throws {
        let session = try await begin(host { $0.grace = .seconds(12) })
        #expect(try await text(session, "tidies") == "tidying")
        let end = await session.complete()
        #expect(end.reason == .completed, "\(end)")
        #expect(end.lastOutput.map(\.description) == ["called with [false, true]"], "\(end)")
    }

    @Test func `L5: an extension that works beyond its grace ends as graceExpired`() async throws {
        let session = try await begin(host { $0.grace = .seconds(5) })
        #expect(try await text(session, "overstays") == "staying")
        let end = await session.complete()
        #expect(end.reason == .graceExpired, "\(end)")
        #expect("\(end.detail)".contains("a long"), "\(end)")
        #expect(!"\(end.detail)".contains("\u{1B}"))
        #expect(end.lastOutput.first?.description == "called with false", "\(end)")
    }

    // MARK: Slots

    @Test func `L1: one extension beyond the limit waits for a slot and reports the time`() async throws {
        let broker = try broker { $0.instances = 1 }
        let first = try await begin(AnnexHost(service: broker))
        // The call returns when the extension has requested its slot.
        let second = try start(broker)
        try await Task.sleep(for: .milliseconds(100))
        #expect(await first.complete().reason == .completed)
        try await second.becomeReady()
        #expect(second.launchReport.waited >= .milliseconds(100), "\(second.launchReport.waited)")
        #expect(await second.complete().reason == .completed)
    }

    // MARK: Switched off, removed, held back

    @Test func `P5: an extension that is switched off ends and starts only after it is on again`() async throws {
        let host = try host { _ in }
        let session = try await begin(host)
        try await host.setEnabled(false, for: SubstituteApp.identifier)
        let end = try #require(try await ending(session, "sleeps"))
        #expect(end.reason == .disabled, "\(end)")
        #expect(await host.extensions().isEmpty)
        #expect(await rejection(host) == .disabled)
        try await host.setEnabled(true, for: SubstituteApp.identifier)
        #expect(await (try begin(host)).complete().reason == .completed)
        #expect(throws: BrokerError.self) { try host.setEnabledAndWait(true, for: "com.example.nobody") }
    }

    @Test func `P5: an extension whose app is removed ends`() async throws {
        let host = try host { _ in }
        let session = try await begin(host)
        try await host.remove(app: "com.example.shout")
        let end = try #require(try await ending(session, "sleeps"))
        #expect(end.reason == .removed, "\(end)")
        #expect(await rejection(host) == .unknownExtension)
        #expect(throws: BrokerError.self) { try host.removeAndWait(app: "com.example.shout") }
    }

    @Test func `SIG-07: an extension that fails repeatedly for one origin has to pause`() async throws {
        let host = try host { _ in }
        // The pauses become longer. So even if a machine takes long for a launch, one of the launches happens during a
        // pause.
        for failures in 0..<20 {
            do {
                let session = try await host.begin(SubstituteApp.identifier, origin: "visitor")
                let end = try #require(try await ending(session, "exits"))
                #expect(end.reason == .exited, "\(end)")
            } catch HostError.rejected(let error) {
                #expect(error.code == .heldBack && failures >= 5, "after \(failures): \(error)")
                return
            }
        }
        Issue.record("20 failures in a row, and no pause")
    }

    /// The broker's reason for rejecting the launch.
    private func rejection(_ host: AnnexHost) async -> BrokerError.Code? {
        do {
            _ = try await begin(host)
            return nil
        } catch HostError.rejected(let error) {
            return error.code
        } catch {
            return nil
        }
    }

    // MARK: Limits of policies

    @Test func `L6: each limit ends an extension under its own name`() async throws {
        let time = try await begin(host { $0.request = .milliseconds(300) })
        #expect(try await ending(time, "looks 1000000")?.reason == .timeLimit)
        // On a busy machine, a second of processor time may take many seconds.
        let processor = try await begin(
            host {
                $0.processor = .seconds(1)
                $0.watchdog = .seconds(600)
            })
        let spent = try #require(try await ending(processor, "spins"))
        #expect(spent.reason == .processorLimit, "\(spent) \(spent.usage)")
        let output = try await begin(host { $0.watchdog = .seconds(600) })
        #expect(try await ending(output, "chatters")?.reason == .outputLimit)
    }

    @Test func `the launch report names the mechanism that holds each limit`() async throws {
        let session = try await begin(host { _ in })
        let limits = session.launchReport.limits
        #expect(limits.map(\.name) == LimitName.allCases.map(\.rawValue))
        #expect(limits.allSatisfy { !$0.keeper.isEmpty && !$0.bound.isEmpty })
        #expect(limits.first { $0.name == "memory" }?.enforcement == session.launchReport.memory)
        #expect(limits.first { $0.name == "descriptors" }?.keeper == "RLIMIT_NOFILE")
        #expect(limits.first { $0.name == "request" }?.enforcement == .watched)
        _ = await session.cancel()
    }
}
