import AnnexBroker
import AnnexBrokerAPI
import AnnexModel
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexHost

/// Entitlements from the bundle to the sandbox: the rights of an extension before a grant, with it and after it.
@Suite(.timeLimit(.minutes(20))) struct EntitlementTests {
    private static let client = "com.apple.security.network.client"
    private static let groups = "com.apple.security.application-groups"
    private static let identifier = SubstituteApp.identifier

    private let app: SubstituteApp

    init() throws { app = try SubstituteApp(running: "works-on") }

    private func host() throws -> AnnexHost {
        var wishes = BrokerConfiguration()
        wishes.patience = .patience
        wishes.holdsBack = false
        wishes.adjust = { $0.keepAlive = .seconds(3600) }
        return AnnexHost(service: try Broker(wishes))
    }

    /// The answer to one request in a separate session, and the policy of the extension in that session.
    private func ask(_ host: AnnexHost, _ words: String) async throws -> (answer: String?, policy: String) {
        let session = try await host.begin(Self.identifier)
        let policy = session.launchReport.policy
        let answer = try await session.request([ExtensionItem(contentText: words)]).first?.contentText
        _ = await session.complete()
        return (answer, policy)
    }

    private func ending(_ host: AnnexHost, _ words: String) async throws -> Termination? {
        let session = try await host.begin(Self.identifier)
        do {
            _ = try await session.request([ExtensionItem(contentText: words)])
            return nil
        } catch HostError.ended(let termination) {
            return termination
        }
    }

    @Test func `an extension has an entitlement from its grant to its revocation and can ask for it`() async throws {
        try app.setEntitlements([Self.client])
        let host = try host()
        let installed = try #require(try await host.install(app: app.path).first)
        #expect(installed.entitlements.map(\.name) == [Self.client] && installed.entitlements[0].isAllowed)
        #expect(!installed.entitlements[0].isGranted)
        #expect(try await ask(host, "capabilities") == ("", "com.apple.ui-services"))
        #expect(try await host.grant(Self.client, to: Self.identifier).entitlements[0].isInForce)
        #expect(try await ask(host, "capabilities") == (Self.client, "com.apple.ui-services+\(Self.client)"))
        #expect(try await !host.revoke(Self.client, from: Self.identifier).entitlements[0].isInForce)
        #expect(try await ask(host, "capabilities") == ("", "com.apple.ui-services"))
    }

    @Test func `NET-03: a granted network reaches no service of this machine`() async throws {
        try app.setEntitlements([Self.client])
        let host = try host()
        try await host.install(app: app.path, granting: [Self.client])
        #expect(try await ask(host, "connects 1").answer == "denied")
    }

    @Test func `an end for lack of an entitlement says how to grant it`() async throws {
        try app.setEntitlements([Self.client])
        let host = try host()
        try await host.install(app: app.path)
        let end = try #require(try await ending(host, "connects 1"))
        #expect(end.reason == .deniedOperation)
        guard case .deniedCall(let call) = end.detail else {
            Issue.record("\(end)")
            return
        }
        #expect(call.name == "socket" && call.remedy == "annex grant \(Self.identifier) \(Self.client)")
    }

    @Test func `an end for lack of a claim says that the extension must ask`() async throws {
        let host = try host()
        try await host.install(app: app.path)
        let end = try #require(try await ending(host, "connects 1"))
        guard case .deniedCall(let call) = end.detail else {
            Issue.record("\(end)")
            return
        }
        #expect(call.remedy == "\(Self.client) in the extension's entitlements, and the user's grant")
    }

    @Test func `a grant reaches parked extensions at once and running ones at their end`() async throws {
        try app.setEntitlements([Self.client])
        let host = try host()
        try await host.install(app: app.path)
        let standby = try await host.standby(for: Self.identifier, keeping: 0...1)
        let counts = [ExtensionItem(contentText: "counts")]
        #expect(try await standby.request(counts).first?.contentText == "1")
        #expect(try await standby.request(counts).first?.contentText == "2")
        try await host.grant(Self.client, to: Self.identifier)
        // The parked process was ended, so the next request gets a new process, which has the entitlement.
        #expect(try await standby.request(counts).first?.contentText == "1")
        let capabilities = [ExtensionItem(contentText: "capabilities")]
        #expect(try await standby.request(capabilities).first?.contentText == Self.client)
        // A running session keeps its entitlements until its end.
        let session = try await host.begin(Self.identifier)
        try await host.revoke(Self.client, from: Self.identifier)
        #expect(try await session.request(capabilities).first?.contentText == Self.client)
        _ = await session.complete()
        #expect(try await standby.request(capabilities).first?.contentText == "")
    }

    @Test func `an extension that asks for more than its point allows is broken and its app is not`() async throws {
        try app.setEntitlements([Self.client, "com.apple.security.camera"])
        let host = try host()
        let one = try #require(try await host.install(app: app.path, granting: ["com.apple.security.camera"]).first)
        #expect(one.verdict == .broken && one.id == Self.identifier)
        let text = "\(try #require(one.rejection))"
        #expect(text.contains("com.apple.security.camera") && text.contains("com.apple.ui-services"), "\(text)")
        #expect(one.entitlements.allSatisfy { !$0.isInForce })
        let error = #expect(throws: BrokerError.self) { try host.grantAndWait(Self.client, to: Self.identifier) }
        #expect(error?.code == .invalidBundle)
    }

    @Test func `an entitlement that the extension does not ask for cannot be granted`() throws {
        try app.setEntitlements([Self.client])
        let host = try host()
        try host.installAndWait(app: app.path)
        let error = #expect(throws: BrokerError.self) { try host.grantAndWait(Self.groups, to: Self.identifier) }
        #expect(error?.code == .wrongEntitlement && error?.remedy == "it asks for \(Self.client)")
        let unknown = #expect(throws: BrokerError.self) { try host.grantAndWait(Self.client, to: "com.example.none") }
        #expect(unknown?.code == .unknownExtension)
    }
}
