import AnnexEmbedded
import AnnexHost
import AnnexTestSupport
import Foundation
import Testing

/// The two ways in which a host gets a broker. Tests run with both ways as arguments, to show that host code sees no
/// difference.
enum Door: String, CaseIterable {
    case embedded, connected

    /// A host without apps, and its daemon, which must live as long as the host.
    func open() async throws -> (host: AnnexHost, daemon: TestDaemon?) {
        switch self {
        case .embedded: return (try AnnexHost.embedded(patience: .patience), nil)
        case .connected:
            let daemon = try await TestDaemon()
            return (try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience), daemon)
        }
    }
}

extension AnnexHost {
    /// The broker's reason for rejecting a launch; nil if it launches the extension, or if another error occurs.
    func rejection(_ identifier: String = SubstituteApp.identifier) async -> BrokerError? {
        do {
            _ = try await begin(identifier)
            return nil
        } catch HostError.rejected(let error) {
            return error
        } catch {
            return nil
        }
    }
}

extension TestDaemon {
    /// The daemon's own copy of the only installed app.
    var installedApp: String {
        get throws {
            let found = FileManager.default.enumerator(atPath: store.path)?.compactMap { $0 as? String }
            return store.path + "/" + (try #require(found?.first { $0.hasSuffix(".app") }))
        }
    }
}
