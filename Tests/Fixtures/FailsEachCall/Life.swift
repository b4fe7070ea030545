import AnnexBroker
import AnnexHost
import AnnexPolicy
import CFailingCalls
import Foundation
import Synchronization

/// A stage of a host's life in which calls fail.
enum Stage: CaseIterable {
    /// The start of a broker and its shutdown.
    case broker
    /// A launch, a request and its end, after the broker was started.
    case session
}

/// The whole life of a host.
final class Life: Sendable {
    private let app: String
    private let identifier: String
    /// The folder of private directories, if the extension has one.
    private let privates: String?
    private let kept = Mutex<AnnexHost?>(nil)

    init(app: String, identifier: String, privates: String?) {
        self.app = app
        self.identifier = identifier
        self.privates = privates
    }

    /// - Parameters:
    ///   - place: the call that fails.
    ///   - time: which of these calls fails, counted from 1; 0 for none.
    /// - Returns: `well`, or the text of the error.
    func run(_ stage: Stage, failing place: Int32, _ time: Int) async -> String {
        do {
            switch stage {
            case .broker:
                fail_call(place, time)
                let host = try makeHost()
                _ = try host.installAndWait(app: app)
            case .session:
                let host = try sharedHost()
                // Each launch creates its private directory again, and so makes every call for it.
                if let privates { try? FileManager.default.removeItem(atPath: privates) }
                fail_call(place, time)
                return await end(try await host.begin(identifier))
            }
            return "well"
        } catch {
            return "\(error)"
        }
    }

    func begin() async throws -> ExtensionSession { try await sharedHost().begin(identifier) }

    func end(_ session: ExtensionSession) async -> String {
        do {
            _ = try await session.request([ExtensionItem(contentText: "looks 1")])
            let end = await session.complete()
            return end.reason == .completed ? "well" : "\(end)"
        } catch {
            return "\(error)"
        }
    }

    private func sharedHost() throws -> AnnexHost {
        try kept.withLock { kept in
            if let kept { return kept }
            let host = try makeHost()
            _ = try host.installAndWait(app: app)
            kept = host
            return host
        }
    }

    private func makeHost() throws -> AnnexHost {
        var wishes = BrokerConfiguration()
        wishes.holdsBack = false
        wishes.privateDirectories = privates.map { .folder($0) }
        wishes.adjust = { limits in
            limits.launch = .seconds(10)
            limits.watchdog = .seconds(10)
            limits.request = .seconds(20)
        }
        return AnnexHost(service: try Broker(wishes))
    }
}
