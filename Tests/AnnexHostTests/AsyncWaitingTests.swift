import AnnexBrokerAPI
import AnnexLinux
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

    @Test func `requests beyond the window wait in line and each of them gets an answer or an error`() async throws {
        let daemon = try SilentDaemon(window: 2)
        async let welcome: Void = daemon.welcome()
        let host = try await AnnexHost.connect(to: daemon.path, patience: .patience)
        try await welcome
        var tasks: [Task<ExtensionSession, any Error>] = []
        // The daemon answers nothing, so the first two requests fill the window.
        for index in 0..<6 {
            tasks.append(Task { try await host.begin("com.example.nobody") })
            guard index < 2 else { continue }
            guard case .request(UInt64(index + 1), .terms) = try await daemon.heard() else { throw CancellationError() }
        }
        // A request that is cancelled in line leaves it.
        tasks[5].cancel()
        guard case .failure(HostError.taskCancelled) = await tasks[5].result else {
            Issue.record("\(await tasks[5].result)")
            return
        }
        #expect(try !daemon.hasHeardMore())
        // Each answer lets one more request go.
        let error = BrokerError(.unknownExtension, what: "is not installed", place: "x")
        try daemon.say(.answer(1, .failed(error)))
        guard case .request(3, .terms) = try await daemon.heard() else { throw CancellationError() }
        #expect(try !daemon.hasHeardMore())
        daemon.leave()
        var codes: [BrokerError.Code] = []
        for task in tasks.prefix(5) {
            guard case .failure(HostError.rejected(let rejection)) = await task.result else {
                Issue.record("\(await task.result)")
                continue
            }
            codes.append(rejection.code)
        }
        #expect(codes.count { $0 == .unknownExtension } == 1 && codes.count { $0 == .unreachable } == 4, "\(codes)")
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

    @Test func `calls of tasks that a silent daemon does not answer leave their threads to others`() async throws {
        let daemon = try SilentDaemon()
        async let welcome: Void = daemon.welcome()
        let host = try await AnnexHost.connect(to: daemon.path, patience: .patience)
        try await welcome
        let lists = (0..<crowd).map { _ in Task { try await host.installed() } }
        let changes = (0..<crowd).map { _ in Task { try await host.setEnabled(true, for: "com.example.nobody") } }
        let offers = (0..<crowd).map { _ in Task { await host.extensions() } }
        await Task.detached {}.value
        daemon.leave()
        for task in lists {
            let error = await #expect(throws: BrokerError.self) { try await task.value }
            #expect(error?.code == .unreachable)
        }
        for task in changes {
            let error = await #expect(throws: BrokerError.self) { try await task.value }
            #expect(error?.code == .unreachable)
        }
        for task in offers { #expect(await task.value.isEmpty) }
    }

    @Test func `a list waits for no change, and a cancelled task learns that its change was made`() async throws {
        let daemon = try SilentDaemon()
        async let welcome: Void = daemon.welcome()
        let host = try await AnnexHost.connect(to: daemon.path, patience: .patience)
        try await welcome
        let change = Task { try await host.setEnabled(true, for: "com.example.one") }
        guard case .request(let first, .setEnabled) = try await daemon.heard() else { throw CancellationError() }
        // A copy of the host waits for the changes of the original.
        var copy = host
        copy.languages = ["de"]
        let next = Task { [copy] in try await copy.remove(app: "com.example.one") }
        let list = Task { try await host.installed() }
        guard case .request(let second, .list) = try await daemon.heard() else { throw CancellationError() }
        try daemon.say(.answer(second, .extensions([], isAll: true)))
        #expect(try await list.value.isEmpty)
        #expect(try !daemon.hasHeardMore())
        change.cancel()
        try daemon.say(.answer(first, .done))
        try await change.value
        guard case .request(let third, .uninstall) = try await daemon.heard() else { throw CancellationError() }
        let error = BrokerError(.unknownApp, what: "is not installed", place: "com.example.one")
        try daemon.say(.answer(third, .failed(error)))
        await #expect(throws: error) { try await next.value }
        daemon.leave()
    }

    @Test func `a call whose turn comes too late is not sent`() throws {
        let socket = ControlSocket(owning: try Descriptor.open("/dev/null", O_RDONLY))
        let link = DaemonLink(socket, path: "annexd.socket", patience: .zero, loop: try EventLoop.shared())
        let moment = MonotonicClock.now()
        let error = #expect(throws: BrokerError.self) { try link.checkTurn(since: moment, for: .zero) }
        #expect(error?.code == .unreachable && error?.place == "annexd.socket")
        try link.checkTurn(since: moment, for: .patience)
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
