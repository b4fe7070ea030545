import AnnexBroker
import AnnexModel
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnexHost

/// The effect of a new version of an app on extensions of the old version.
@Suite(.timeLimit(.minutes(20))) struct UpdateTests {
    private final class Ends: Sendable {
        private let ended = Mutex<[EndedExtension]>([])
        func add(_ end: EndedExtension) { ended.withLock { $0.append(end) } }
        func reasons(_ identifier: String) -> [Termination.Reason] {
            ended.withLock { $0.filter { $0.identifier == identifier }.map(\.termination.reason) }
        }
    }

    private let app: SubstituteApp
    private let ends = Ends()

    init() throws {
        app = try SubstituteApp(running: "works-on")
    }

    private func broker(instances: Int? = nil) throws -> (broker: Broker, host: AnnexHost) {
        var wishes = BrokerConfiguration()
        wishes.patience = .patience
        wishes.instances = instances
        wishes.adjust = { $0.keepAlive = .seconds(3600) }
        let broker = try Broker(wishes) { [ends] in ends.add($0) }
        _ = try broker.install(app: app.path)
        return (broker, AnnexHost(service: broker))
    }

    private func served(_ session: ExtensionSession) async throws -> String? {
        try await session.request([ExtensionItem(contentText: "counts")]).first?.contentText
    }

    @Test func `P12: an update ends parked extensions and the next request gets the new version`() async throws {
        let (broker, host) = try broker()
        let standby = try await host.standby(for: SubstituteApp.identifier, keeping: 1...1)
        await eventually { standby.count == 1 }
        _ = try broker.install(app: app.path)
        await eventually { ends.reasons(SubstituteApp.identifier) == [.cancelled] }
        // The standby launches the new version ahead without a request.
        await eventually { standby.count == 1 }
        let session = try await standby.begin()
        #expect(try await served(session) == "1")
        #expect(await session.complete().reason == .completed)
    }

    @Test func `P12: an extension at work finishes after an update and is then not kept`() async throws {
        let (broker, host) = try broker()
        let standby = try await host.standby(for: SubstituteApp.identifier, keeping: 0...1)
        // The extension serves one request and is kept alive.
        let words = [ExtensionItem(contentText: "counts")]
        #expect(try await standby.request(words).first?.contentText == "1")
        #expect(try await standby.request(words).first?.contentText == "2")
        let busy = Task { try await standby.request([ExtensionItem(contentText: "looks 1500")]).first?.contentText }
        // The extension is in use, so it is no longer parked.
        await eventually { standby.count == 0 }
        _ = try broker.install(app: app.path)
        #expect(try await busy.value == "looked")
        // The host asks the broker to park the extension, but the broker does not park an extension of an old
        // version.
        await eventually { ends.reasons(SubstituteApp.identifier) == [.cancelled] }
    }

    @Test func `P12: an extension that the new version dropped ends as removed`() async throws {
        let (broker, host) = try broker()
        let session = try await host.begin(SubstituteApp.identifier)
        #expect(try await served(session) == "1")
        let without = try SubstituteApp(running: "works-on")
        try FileManager.default.removeItem(atPath: without.path + "/PlugIns/Loud.appex")
        #expect(try broker.install(app: without.path).isEmpty)
        await eventually { session.termination != nil }
        #expect(session.termination?.reason == .removed)
    }
}
