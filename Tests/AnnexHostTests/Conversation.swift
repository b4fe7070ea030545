import AnnexChannel
import AnnexHost
import Synchronization

/// A session. The test holds the extension's end of its channel.
struct Conversation: ~Copyable {
    let session: ExtensionSession
    let endpoint: ExtensionEndpoint

    static func begin(
        timeLimit: Duration? = nil, serving service: HostService = HostService()
    ) async throws -> Conversation {
        let broker = LoneService()
        let session = try await AnnexHost(service: broker).begin("lone", timeLimit: timeLimit, serving: service)
        var given = broker.ends.withLock { $0.take() }
        guard let ends = given.take() else { throw CancellationError() }
        let endpoint = try ExtensionEndpoint(ends)
        try endpoint.sayHello()
        return Conversation(session: session, endpoint: endpoint)
    }
}
