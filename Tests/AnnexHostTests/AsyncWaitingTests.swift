import AnnexBrokerAPI
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexHost

/// A task that waits for a daemon must block no thread, because the pool has only one thread for each processor.
@Suite(.timeLimit(.minutes(20))) struct AsyncWaitingTests {
    /// More tasks than the pool has threads.
    private var crowd: Int { 2 * ProcessInfo.processInfo.activeProcessorCount + 2 }

    @Test func `tasks that begin with a silent daemon leave their threads to others`() async throws {
        let daemon = try SilentDaemon()
        async let welcome: Void = daemon.welcome()
        let host = try await AnnexHost.connect(to: daemon.path, patience: .patience)
        try await welcome
        let begun = (0..<crowd).map { _ in Task { try await host.begin("com.example.nobody") } }
        // If each waiting task blocked a thread, this task would not run.
        await Task.detached {}.value
        daemon.leave()
        for task in begun {
            guard case .failure(HostError.rejected(let rejection)) = await task.result else {
                Issue.record("\(await task.result)")
                continue
            }
            #expect(rejection.code == .unreachable, "\(rejection)")
        }
    }

    @Test func `a task that is cancelled while it waits for a daemon learns of it`() async throws {
        let daemon = try SilentDaemon()
        async let welcome: Void = daemon.welcome()
        let host = try await AnnexHost.connect(to: daemon.path, patience: .patience)
        try await welcome
        let task = Task { try await host.begin("com.example.nobody") }
        task.cancel()
        guard case .failure(HostError.taskCancelled) = await task.result else {
            Issue.record("\(await task.result)")
            return
        }
        daemon.leave()
    }

    @Test func `tasks that connect to a blocked daemon leave their threads to others`() async throws {
        let daemon = try SilentDaemon()
        let path = daemon.path
        let connecting = (0..<crowd).map { _ in Task { try await AnnexHost.connect(to: path, patience: .patience) } }
        await Task.detached {}.value
        daemon.leave()
        for task in connecting {
            await #expect(throws: BrokerError.self) { try await task.value }
        }
    }

    @Test func `a session ends as hostGone when the daemon breaks off`() async throws {
        let daemon = try SilentDaemon()
        async let welcome: Void = daemon.welcome()
        let host = try await AnnexHost.connect(to: daemon.path, patience: .patience)
        try await welcome
        let begun = Task { try await host.begin("com.example.nobody") }
        guard case .request(let first, .terms) = try await daemon.heard() else { throw CancellationError() }
        try daemon.say(.answer(first, .terms(SessionTerms(keepAlive: .zero))))
        guard case .request(let launch, .launch) = try await daemon.heard() else { throw CancellationError() }
        try daemon.say(.answer(launch, .done))
        try daemon.say(.event(launch, .ready(.unknown)))
        let session = try await begun.value
        try daemon.say(.rejected(BrokerError(.unreachable, what: "the connection was ended", place: "annexd")))
        #expect(await session.link.ended.value().reason == .hostGone)
        withExtendedLifetime(session) {}
    }

    @Test func `a task that is cancelled before the hello learns of it and its extension is ended`() async throws {
        let service = LoneService(saysHello: false)
        let host = AnnexHost(service: service)
        let task = Task { try await host.begin("lone") }
        await eventually { service.launches == 1 }
        task.cancel()
        guard case .failure(HostError.taskCancelled) = await task.result else {
            Issue.record("\(await task.result)")
            return
        }
        await eventually { service.dismissals == 1 }
    }
}
