import AnnexBroker
import AnnexBrokerAPI
import AnnexModel
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexHost

/// Hosts with embedded brokers of one user, and apps that share groups.
struct GroupWorld {
    static let ours = "group.com.example.ours"
    static let entitlement = "com.apple.security.application-groups"

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    var place: String { folder.url.path + "/private" }

    func host(
        _ apps: SubstituteApp..., granting: Bool = true, points: String? = nil, policies: String? = nil
    ) throws -> AnnexHost {
        var wishes = BrokerConfiguration()
        try wishes.read(points: points, policies: policies)
        wishes.patience = .patience
        wishes.holdsBack = false
        wishes.privateDirectories = .folder(place)
        let host = AnnexHost(service: try Broker(wishes))
        for app in apps { try host.installAndWait(app: app.path, granting: granting ? [Self.entitlement] : []) }
        return host
    }

    /// An app whose extension uses its groups.
    func app(
        _ identifier: String = "com.example.shout", groups: [String] = [Self.ours], ofApp own: [String]? = nil,
        besides names: [String] = [], signedBy team: String? = "ours", running name: String = "shares-data",
        program: String = "shares-as-app"
    ) async throws -> SubstituteApp {
        let app = try SubstituteApp(running: name)
        try app.setPoint("com.apple.share-services")
        try app.setGroups(groups, ofApp: own ?? groups, besides: names)
        try app.setIdentifier(identifier)
        try app.setProgram(program)
        guard let team else { return app }
        let key = folder.url.path + "/" + team
        if !FileManager.default.fileExists(atPath: key) {
            let made = try await Program.annex(["key", "new", team, "--out", key], in: folder)
            #expect(made.status == 0, "\(made)")
        }
        let signed = try await Program.annex(["sign", app.path, "--key", key], in: folder)
        #expect(signed.status == 0, "\(signed)")
        return app
    }

    func ask(
        _ host: AnnexHost, _ words: String, of app: String = "com.example.shout"
    ) async throws -> String {
        let session = try await host.begin(app + ".loud")
        let text = try await session.request([ExtensionItem(contentText: words)]).first?.contentText
        let end = await session.complete()
        #expect(end.reason == .completed, "\(end)")
        return text ?? ""
    }

    /// Lets the containing app itself do an action in a separate process.
    func run(_ app: SubstituteApp, _ words: String...) async throws -> String {
        let ran = try await Program.run(
            app.path + "/Shout", [place, words[0], Self.ours] + words.dropFirst(), in: folder)
        #expect(ran.status == 0, "\(ran)")
        return ran.output.trimmingCharacters(in: .newlines)
    }

    func annex(_ words: String...) async throws -> Program {
        try await Program.annex(["group"] + words + ["--private", place], in: folder)
    }

    /// Kills the extension of this name that this test process has launched. Tests of another user may run at the same time and launch
    /// extensions of the same names.
    static func killExtension(named name: String) {
        let own = ProcessTable.family(of: getpid())
        for process in own where ProcText.lines(of: "/proc/\(process)/cmdline").first?.hasPrefix(name) ?? false {
            kill(process, SIGKILL)
        }
    }
}
