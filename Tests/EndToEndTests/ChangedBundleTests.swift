import AnnexEmbedded
import AnnexHost
import AnnexTestSupport
import Foundation
import Testing

/// If an extension changed after the check at its installation, it must not run.
@Suite(.timeLimit(.minutes(20))) struct ChangedBundleTests {
    private let executable = "Shout.app/PlugIns/Loud.appex/Loud"

    private func copy() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let source = URL(filePath: try ExampleBundles.path(of: "Shout.app"))
        try FileManager.default.copyItem(at: source, to: folder.url.appending(path: "Shout.app"))
        try FileManager.default.settleProgram(at: folder.url.appending(path: executable))
        return folder
    }

    private func rejection(after change: (String) throws -> Void) async throws -> BrokerError? {
        let folder = try copy()
        let host = try AnnexHost.embedded(
            apps: [folder.url.appending(path: "Shout.app").path], patience: .patience)
        try change(folder.url.appending(path: executable).path)
        do throws(HostError) {
            _ = try await host.begin("com.example.shout.loud").cancel()
            return nil
        } catch {
            guard case .rejected(let rejection) = error else { return nil }
            return rejection
        }
    }

    @Test func `an unchanged bundle runs`() async throws {
        #expect(try await rejection { _ in } == nil)
    }

    @Test func `a program that was overwritten in place is rejected`() async throws {
        let rejection = try await rejection { path in
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.seekToEnd()
            try file.write(contentsOf: Data([0]))
            try file.close()
        }
        #expect(
            rejection?.code == .invalidBundle && rejection?.remedy == "install the app again",
            "\(String(describing: rejection))")
    }

    @Test func `a program that other users may now write is rejected`() async throws {
        let rejection = try await rejection { path in
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
        }
        #expect(rejection?.code == .invalidBundle)
    }

    @Test func `a program that was replaced is rejected`() async throws {
        let rejection = try await rejection { path in
            let bytes = try Data(contentsOf: URL(filePath: path))
            try FileManager.default.removeItem(atPath: path)
            try bytes.write(to: URL(filePath: path))
        }
        #expect(rejection?.code == .invalidBundle)
    }
}
