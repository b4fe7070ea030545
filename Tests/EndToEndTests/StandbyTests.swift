import AnnexBroker
import AnnexModel
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnexHost

/// Extensions that are launched ahead. The tests check which requests get them, and which events end them.
@Suite(.timeLimit(.minutes(20))) struct StandbyTests {
    private final class Ends: Sendable {
        private let reasons = Mutex<[Termination.Reason]>([])
        var list: [Termination.Reason] { reasons.withLock { $0 } }
        func add(_ end: EndedExtension) { reasons.withLock { $0.append(end.termination.reason) } }
    }

    private let app: SubstituteApp
    private let ends = Ends()

    init() throws {
        app = try SubstituteApp(running: "works-on")
    }

    private func host(_ adjust: @escaping @Sendable (inout PolicyLimits) -> Void = { _ in }) throws -> AnnexHost {
        var wishes = BrokerConfiguration()
        wishes.patience = .patience
        wishes.adjust = adjust
        let broker = try Broker(wishes) { [ends] in ends.add($0) }
        _ = try broker.install(app: app.path)
        return AnnexHost(service: broker)
    }

    /// The number of requests that the answering process has served, including this one.
    private func served(_ standby: Standby) async throws -> String? {
        try await standby.request([ExtensionItem(contentText: "counts")]).first?.contentText
    }

    private func served(_ session: ExtensionSession) async throws -> String? {
        try await session.request([ExtensionItem(contentText: "counts")]).first?.contentText
    }

    @Test func `a session gets an extension that was launched ahead and another replaces it`() async throws {
        let standby = try await host().standby(for: SubstituteApp.identifier, keeping: 1...2)
        await eventually { standby.count == 1 }
        let session = try await standby.begin()
        #expect(session.launchReport.total > .zero)
        #expect(try await served(session) == "1")
        await eventually { standby.count == 1 }
        #expect(await session.complete().reason == .completed)
    }

    @Test func `a process serves one request unless its policy keeps it alive`() async throws {
        let standby = try await host().standby(for: SubstituteApp.identifier)
        for _ in 0..<3 { #expect(try await served(standby) == "1") }
        // On a slow machine, an extension may be launched ahead and not needed. The broker cancels such an extension.
        await eventually { ends.list.count { $0 == .completed } == 3 }
        #expect(Set(ends.list).isSubset(of: [.completed, .cancelled]))
    }

    @Test func `a process that is kept alive serves more requests and never a session`() async throws {
        let standby = try await host { $0.keepAlive = .seconds(3600) }.standby(
            for: SubstituteApp.identifier, keeping: 0...1)
        #expect(try await served(standby) == "1")
        #expect(try await served(standby) == "2")
        let blocked = try await Thread.detached {
            try standby.requestAndWait([ExtensionItem(contentText: "counts")]).first?.contentText
        }
        #expect(blocked == "3")
        let session = try await standby.begin()
        #expect(try await served(session) == "1")
    }

    @Test func `a process that is kept alive ends after its time`() async throws {
        let standby = try await host { $0.keepAlive = .milliseconds(50) }.standby(
            for: SubstituteApp.identifier, keeping: 0...1)
        #expect(try await served(standby) == "1")
        await eventually { !ends.list.isEmpty }
        #expect(ends.list.first == .cancelled)
    }

    @Test func `L1: a parked extension gives its slot to a session that finds none`() async throws {
        let host = try host { $0.instances = 1 }
        let standby = try await host.standby(for: SubstituteApp.identifier, keeping: 1...1)
        await eventually { standby.count == 1 }
        let session = try await host.begin(SubstituteApp.identifier)
        #expect(try await served(session) == "1")
        #expect(ends.list == [.cancelled])
        #expect(standby.count == 0)
        #expect(await session.complete().reason == .completed)
    }

    @Test func `L1: a parked extension does not go for another that would be parked`() async throws {
        let denials = Refusals()
        let host = try host { $0.instances = 2 }.observed(by: denials)
        let session = try await host.begin(SubstituteApp.identifier)
        let one = try await host.standby(for: SubstituteApp.identifier, keeping: 2...2)
        let other = try await host.standby(for: SubstituteApp.identifier, keeping: 1...2)
        // Each standby has reached the limit, and has tried again after a while.
        await eventually { denials.list.count >= 6 || !ends.list.isEmpty }
        await eventually { one.count + other.count == 1 || !ends.list.isEmpty }
        #expect(ends.list.isEmpty)
        #expect(Set(denials.list) == [.noSlot])
        // The standby finds a free slot without a request.
        _ = await session.complete()
        await eventually { one.count + other.count == 2 }
        #expect(ends.list == [.completed])
    }

    @Test func `the lower limit of parked extensions is restored by itself`() async throws {
        let host = try host()
        let standby = try await host.standby(for: SubstituteApp.identifier, keeping: 1...1)
        await eventually { standby.count == 1 }
        try await host.setEnabled(false, for: SubstituteApp.identifier)
        await eventually { ends.list == [.disabled] }
        try await host.setEnabled(true, for: SubstituteApp.identifier)
        await eventually { standby.count == 1 }
        #expect(try await served(standby) == "1")
    }

    @Test func `P5: a parked extension that is switched off is not offered`() async throws {
        let host = try host()
        let standby = try await host.standby(for: SubstituteApp.identifier, keeping: 2...2)
        await eventually { standby.count == 2 }
        try await host.setEnabled(false, for: SubstituteApp.identifier)
        await #expect { try await standby.begin() } throws: { error in
            if case HostError.rejected(let rejection) = error { rejection.code == .disabled } else { false }
        }
        await eventually { ends.list.count == 2 }
        #expect(ends.list == [.disabled, .disabled])
    }

    @Test func `parked extensions that are given up end and return on demand`() async throws {
        let standby = try await host().standby(for: SubstituteApp.identifier, keeping: 2...2)
        await eventually { standby.count == 2 }
        standby.giveUp()
        await eventually { ends.list.count == 2 }
        #expect(standby.count == 0 && ends.list == [.cancelled, .cancelled])
        #expect(try await served(standby) == "1")
    }

    @Test func `L8: parked extensions end for memory pressure with that reason`() async throws {
        let standby = try await host().standby(for: SubstituteApp.identifier, keeping: 2...2)
        await eventually { standby.count == 2 }
        let session = try await standby.begin()
        standby.giveUp(for: .memoryPressure)
        await eventually { !ends.list.isEmpty }
        #expect(Set(ends.list) == [.memoryPressure])
        // An extension that is at work continues.
        #expect(try await served(session) == "1")
        #expect(await session.complete().reason == .completed)
    }

    @Test func `LIFE-05: no extension is left when the last reference goes`() async throws {
        let host = try host()
        do {
            let standby = try await host.standby(for: SubstituteApp.identifier, keeping: 3...3)
            await eventually { standby.count == 3 }
        }
        await eventually { ends.list.count == 3 }
        #expect(Set(ends.list) == [.cancelled])
    }

    @Test func `hundreds of requests at once each get one answer`() async throws {
        let standby = try await host { $0.keepAlive = .seconds(3600) }.standby(for: SubstituteApp.identifier)
        let answers = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<200 { group.addTask { try await served(standby) } }
            return try await group.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(answers.count == 200 && !answers.contains(nil))
    }
}
