import AnnexBrokerAPI
import AnnexHost
import AnnexModel
import AnnexTestSupport
import Foundation
import Testing

/// Background transfers under a daemon: extension, broker, agent and app. A program takes the place of the agent, and
/// moves no byte over a network.
@Suite(.timeLimit(.minutes(20))) struct TransferTests {
    private static let network = "com.apple.security.network.client"
    private static let extensionName = "com.example.shout.loud"

    private let world: GroupWorld
    private let agent: String

    init() throws {
        world = try GroupWorld()
        agent = world.folder.url.path + "/agent"
        try Fixtures.copy("carries-transfers", to: URL(filePath: agent))
    }

    private func daemon(in folder: TemporaryFolder? = nil, hasAgent: Bool = true) async throws -> TestDaemon {
        try await TestDaemon(in: folder, ["--transfer-program", hasAgent ? agent : world.folder.url.path + "/none"])
    }

    private func host(_ daemon: TestDaemon) throws -> AnnexHost {
        try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
    }

    private func install(at host: AnnexHost, granting: [String]) async throws {
        let app = try await world.app(besides: [Self.network], program: "handles-transfers")
        try await host.install(app: app.path, granting: granting)
    }

    /// - Returns: the answer of the extension, without the receipt at its end.
    private func upload(_ host: AnnexHost, to url: String) async throws -> String {
        let words = try await world.ask(host, "uploads \(GroupWorld.ours) \(url) one two").split(separator: " ")
        return (words.first == "begun" ? words.prefix(2) : words[...]).joined(separator: " ")
    }

    private func annex(_ daemon: TestDaemon, _ words: String...) async throws -> Program {
        try await Program.annex(["transfer"] + words + ["--socket", daemon.socket], in: world.folder)
    }

    /// The container of the group, as the app sees it.
    private func container(_ daemon: TestDaemon) -> String {
        let teams = daemon.folder.url.path + "/state/private/@groups"
        let team = (try? FileManager.default.contentsOfDirectory(atPath: teams))?.first ?? ""
        return "\(teams)/\(team)/\(GroupWorld.ours)/container"
    }

    private func lines(_ name: String, _ daemon: TestDaemon) -> [String] {
        let text = try? String(contentsOfFile: container(daemon) + "/" + name, encoding: .utf8)
        return (text ?? "").split(separator: "\n").map(String.init)
    }

    @Test func `an upload goes on without its extension, and the app is started once and takes note`() async throws {
        let daemon = try await daemon()
        let host = try host(daemon)
        try await install(at: host, granting: [GroupWorld.entitlement, Self.network])
        #expect(try await upload(host, to: "https://example.org/album") == "begun 1")
        await eventually { !lines("outcomes", daemon).isEmpty }
        #expect(lines("outcomes", daemon) == ["1 200 - bytes of onebytes of two"])
        #expect(lines("starts", daemon) == ["started 1"])
        // The app has taken note, so that the number is not used again and the files are gone.
        #expect(try await upload(host, to: "https://example.org/album") == "begun 2")
        await eventually { lines("outcomes", daemon).count == 2 }
        #expect(Set(try FileManager.default.contentsOfDirectory(atPath: container(daemon))) == ["outcomes", "starts"])
        let staged = (container(daemon) as NSString).deletingLastPathComponent + "/transfers"
        #expect(try FileManager.default.contentsOfDirectory(atPath: staged).isEmpty)
    }

    @Test func `transfers go on after the daemon is killed, and before a host connects`() async throws {
        var daemon = try await daemon(hasAgent: false)
        let folder = daemon.folder
        do {
            let host = try host(daemon)
            try await install(at: host, granting: [GroupWorld.entitlement, Self.network])
            #expect(try await upload(host, to: "https://example.org/album") == "begun 1")
        }
        _ = await daemon.end(SIGKILL)
        daemon = try await self.daemon(in: folder)
        let next = daemon
        await eventually { !lines("outcomes", next).isEmpty }
        #expect(lines("outcomes", daemon) == ["1 200 - bytes of onebytes of two"])
    }

    @Test func `an app that crashes on its outcomes is started three times at most`() async throws {
        var daemon = try await daemon()
        let folder = daemon.folder
        do {
            let host = try host(daemon)
            try await install(at: host, granting: [GroupWorld.entitlement, Self.network])
            #expect(try await world.ask(host, "writes \(GroupWorld.ours) crashes yes") == "written")
            #expect(try await upload(host, to: "https://example.org/album") == "begun 1")
        }
        for count in 1...3 {
            let current = daemon
            await eventually { lines("starts", current).count == count }
            #expect(await daemon.end() == .exited(0))
            daemon = try await self.daemon(in: folder)
        }
        // The fourth daemon starts the app no more. Its answer to a host comes after it has read the book.
        let host = try host(daemon)
        #expect(try await world.ask(host, "reads \(GroupWorld.ours) starts").contains("started 1"))
        #expect(lines("starts", daemon).count == 3 && lines("outcomes", daemon).isEmpty)
    }

    @Test func `a revoked grant ends the transfers that it allowed`() async throws {
        let daemon = try await daemon(hasAgent: false)
        let host = try host(daemon)
        try await install(at: host, granting: [GroupWorld.entitlement, Self.network])
        #expect(try await upload(host, to: "https://example.org/album") == "begun 1")
        _ = try await host.revoke(Self.network, from: Self.extensionName)
        await eventually { !lines("outcomes", daemon).isEmpty }
        #expect(lines("outcomes", daemon) == ["1 0 revoked "])
    }

    private func grant(_ host: AnnexHost, naming hosts: String...) async throws {
        try await install(at: host, granting: [GroupWorld.entitlement])
        _ = try await host.grant(Self.network, to: Self.extensionName, hosts: hosts)
    }

    @Test func `a grant that names machines allows transfers to those machines only`() async throws {
        let daemon = try await daemon()
        let host = try host(daemon)
        try await grant(host, naming: "example.org:443", "192.0.2.9")
        for url in ["https://evil.example/", "https://example.org:8443/", "http://example.org/"] {
            let said = try await upload(host, to: url)
            #expect(said.hasPrefix("notAllowed") && said.contains("does not name"), "\(said)")
        }
        // The remedy is the command that names the machine besides those that the grant names already.
        let said = try await upload(host, to: "https://evil.example/")
        let command = "annex grant \(Self.extensionName) \(Self.network) --host evil.example:443 --host example.org:443"
        #expect(said.contains(command), "\(said)")
        // A redirect leads to no other machine either.
        #expect(try await upload(host, to: "https://192.0.2.9/asks") == "begun 1")
        await eventually { lines("outcomes", daemon).count == 1 }
        #expect(lines("outcomes", daemon) == ["1 200 - 192.0.2.9"])
        #expect(try await upload(host, to: "https://example.org/redirects") == "begun 2")
        await eventually { lines("outcomes", daemon).count == 2 }
        #expect(lines("outcomes", daemon).last == "2 200 - refusedAddress")
    }

    @Test func `a machine that is taken back ends the transfers to it, and no others`() async throws {
        let daemon = try await daemon(hasAgent: false)
        let host = try host(daemon)
        try await grant(host, naming: "example.org", "img.example")
        #expect(try await upload(host, to: "https://example.org/waits") == "begun 1")
        _ = try await host.revoke(Self.network, from: Self.extensionName, hosts: ["img.example"])
        #expect(try await annex(daemon, "show", "1").output.contains("revoked") == false)
        #expect(try await upload(host, to: "https://img.example/waits").hasPrefix("notAllowed"))
        _ = try await host.grant(Self.network, to: Self.extensionName, hosts: ["img.example"])
        await eventually { !lines("outcomes", daemon).isEmpty }
        #expect(lines("outcomes", daemon) == ["1 0 revoked "])
    }

    @Test func `without the grant of the network, nothing is transferred`() async throws {
        let daemon = try await daemon()
        let host = try host(daemon)
        try await install(at: host, granting: [GroupWorld.entitlement])
        #expect(try await upload(host, to: "https://example.org/album").hasPrefix("notAllowed"))
    }

    @Test func `a host learns by a receipt how a transfer ended, and nothing else`() async throws {
        let daemon = try await daemon()
        let host = try host(daemon)
        try await install(at: host, granting: [GroupWorld.entitlement, Self.network])
        let said = try await world.ask(host, "uploads \(GroupWorld.ours) https://example.org/secret one two")
        let receipt = try #require(TransferReceipt(String(said.split(separator: " ").last ?? "")))
        var report = try await host.progress(of: receipt)
        while report.outcome == .underWay { report = try await host.progress(of: receipt) }
        #expect(report.outcome == .done && report.fraction == nil)
        // The receipt stays good after the app has taken note of the outcome.
        await eventually { !lines("outcomes", daemon).isEmpty }
        #expect(try await host.progress(of: receipt).outcome == .done)
        let guess = try #require(TransferReceipt(String(repeating: "0", count: 32)))
        await #expect(throws: BrokerError.self) { try await host.progress(of: guess) }
    }

    @Test func `the user lists, hurries and cancels transfers`() async throws {
        let daemon = try await daemon(hasAgent: false)
        let host = try host(daemon)
        try await install(at: host, granting: [GroupWorld.entitlement, Self.network])
        #expect(try await annex(daemon, "list").output == "no transfers\n")
        #expect(try await upload(host, to: "https://example.org/album") == "begun 1")
        let listed = try await annex(daemon, "list")
        #expect(listed.output.contains("1  upload  ") && listed.output.contains("https://example.org/album"))
        let shown = try await annex(daemon, "show", "1", "--json")
        #expect(shown.output.contains(#""session": "com.example.shout.sync""#) && shown.output.contains("one"))
        #expect(try await annex(daemon, "retry", "1").status == 0)
        let cancelled = try await annex(daemon, "cancel", "1")
        #expect(cancelled.output.contains("failure: cancelled"), "\(cancelled)")
        let missing = try await annex(daemon, "show", "99")
        #expect(missing.status == 1 && missing.errors.contains("annex transfer list"), "\(missing)")
    }

    @Test func `an embedded broker says that transfers need annexd`() async throws {
        let app = try await world.app(besides: [Self.network], program: "handles-transfers")
        let host = try world.host(app)
        _ = try host.grantAndWait(Self.network, to: Self.extensionName)
        let said = try await upload(host, to: "https://example.org/album")
        #expect(said.hasPrefix("unavailable") && said.contains("annexd"))
    }
}
