import AnnexHost
import AnnexTestSupport
import Foundation
import Testing

/// `annex install --grant`, `grant` and `revoke`, and grants over restarts of the daemon.
@Suite(.timeLimit(.minutes(20))) struct GrantCommandTests {
    private static let client = "com.apple.security.network.client"
    private static let identifier = SubstituteApp.identifier

    private let folder: TemporaryFolder
    private let app: SubstituteApp

    init() throws {
        folder = try TemporaryFolder()
        app = try SubstituteApp(running: "works-on")
        try app.setEntitlements([Self.client])
    }

    private func annex(_ daemon: TestDaemon, _ arguments: String...) async throws -> Program {
        try await Program.annex(arguments + ["--socket", daemon.socket], in: folder)
    }

    /// Whether the entitlement is in force, according to `annex list --json`.
    private func isInForce(_ daemon: TestDaemon) async throws -> Bool? {
        let listed = try await annex(daemon, "list", "--json")
        let object = try JSONSerialization.jsonObject(with: Data(listed.output.utf8)) as? [String: Any]
        let one = (object?["extensions"] as? [[String: Any]])?.first
        let entitlement = (one?["entitlements"] as? [[String: Any]])?.first
        #expect(entitlement?["name"] as? String == Self.client && entitlement?["allowed"] as? Bool == true, "\(listed)")
        return entitlement?["inForce"] as? Bool
    }

    @Test func `without a terminal an installation says what is not in force and how to grant it`() async throws {
        let daemon = try await TestDaemon()
        let installed = try await annex(daemon, "install", app.path)
        #expect(installed.status == 0, "\(installed)")
        #expect(
            installed.errors.contains(
                "annex: \(Self.identifier) asks for \(Self.client), which is not in force; "
                    + "annex grant \(Self.identifier) \(Self.client)\n"), "\(installed)")
        #expect(try await isInForce(daemon) == false)
        // The line that was printed can be run as a command.
        #expect(try await annex(daemon, "grant", Self.identifier, Self.client).status == 0)
        #expect(try await isInForce(daemon) == true)
        #expect(try await annex(daemon, "revoke", Self.identifier, Self.client).status == 0)
        #expect(try await isInForce(daemon) == false)
    }

    @Test func `an installation grants the entitlements that the command line names`() async throws {
        let daemon = try await TestDaemon()
        let installed = try await annex(daemon, "install", app.path, "--grant", Self.client)
        #expect(installed.status == 0 && installed.errors.isEmpty, "\(installed)")
        #expect(try await isInForce(daemon) == true)
        let unasked = try await annex(daemon, "install", app.path, "--grant", "com.apple.security.application-groups")
        #expect(unasked.status == 1 && unasked.errors.contains("--grant had no effect"), "\(unasked)")
        // The app is installed, and an update keeps the grant.
        #expect(try await isInForce(daemon) == true)
    }

    @Test func `a wrong grant names the extension and the entitlements that it asks for`() async throws {
        let daemon = try await TestDaemon()
        #expect(try await annex(daemon, "install", app.path).status == 0)
        let wrong = try await annex(daemon, "grant", Self.identifier, "com.apple.security.camera")
        #expect(wrong.status == 1 && wrong.errors.contains("does not ask for com.apple.security.camera"), "\(wrong)")
        #expect(wrong.errors.contains("it asks for \(Self.client)"), "\(wrong)")
        #expect(try await annex(daemon, "grant", "com.example.none", Self.client).status == 1)
        #expect(try await annex(daemon, "grant", Self.identifier).status == 64)
        #expect(try await annex(daemon, "revoke", "--nothing").status == 64)
    }

    @Test func `grants outlast the daemon and end with the app`() async throws {
        let place = try TemporaryFolder()
        let first = try await TestDaemon(in: place)
        #expect(try await annex(first, "install", app.path, "--grant", Self.client).status == 0)
        #expect(await first.end() == .exited(0))
        let second = try await TestDaemon(in: place)
        #expect(try await isInForce(second) == true)
        #expect(try await annex(second, "remove", "com.example.shout").status == 0)
        #expect(try await annex(second, "install", app.path).status == 0)
        #expect(try await isInForce(second) == false)
    }
}
