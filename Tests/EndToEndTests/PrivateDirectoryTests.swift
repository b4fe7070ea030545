import AnnexBroker
import AnnexBrokerAPI
import AnnexLinux
import AnnexModel
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexHost

/// Private directories of extensions whose broker is embedded: their contents, their owners, their limits, and their
/// removal.
@Suite(.timeLimit(.minutes(20))) struct PrivateDirectoryTests {
    private static let identifier = SubstituteApp.identifier
    private static let appIdentifier = "com.example.shout"

    private let app: SubstituteApp
    private let folder: TemporaryFolder

    init() throws {
        app = try SubstituteApp(running: "keeps-notes")
        try app.setPoint("com.apple.share-services")
        folder = try TemporaryFolder()
    }

    private var place: String { folder.url.path + "/private" }
    private var kept: String { "\(place)/\(Self.appIdentifier)/\(Self.identifier)" }

    private func host() throws -> AnnexHost {
        var wishes = BrokerConfiguration()
        wishes.patience = .patience
        wishes.holdsBack = false
        wishes.privateDirectories = .folder(place)
        let host = AnnexHost(service: try Broker(wishes))
        try host.installAndWait(app: app.path)
        return host
    }

    /// The answer to one request in a separate session.
    private func ask(_ host: AnnexHost, _ words: String) async throws -> String {
        let session = try await host.begin(Self.identifier)
        let text = try await session.request([ExtensionItem(contentText: words)]).first?.contentText
        let end = await session.complete()
        #expect(end.reason == .completed, "\(end)")
        return text ?? ""
    }

    /// The end that the caller of a request gets instead of an answer.
    private func ending(_ session: ExtensionSession, _ words: String) async throws -> Termination? {
        do {
            _ = try await session.request([ExtensionItem(contentText: words)])
            return nil
        } catch HostError.ended(let termination) {
            return termination
        }
    }

    private func owner(_ path: String) throws -> UInt32 {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.ownerAccountID] as? UInt32)
    }

    // MARK: Keeping

    @Test func `an extension finds what it kept at its next launch, after an update and with another broker`()
        async throws
    {
        let host = try host()
        #expect(try await ask(host, "where") == "/private /private /tmp")
        #expect(try await ask(host, "lists") == "")
        #expect(try await ask(host, "notes one") == "noted")
        #expect(try await ask(host, "reads") == "one")
        try await host.install(app: app.path)
        #expect(try await ask(host, "reads") == "one")
        #expect(try await ask(self.host(), "reads") == "one")
        #expect(try String(contentsOfFile: kept + "/notes", encoding: .utf8) == "one")
    }

    @Test func `a new team of an app finds nothing of the former team`() async throws {
        let keys = folder.url.path + "/"
        for team in ["ours", "theirs"] {
            let made = try await Program.annex(["key", "new", team, "--out", keys + team], in: folder)
            #expect(made.status == 0, "\(made)")
        }
        func sign(by team: String) async throws {
            let signed = try await Program.annex(["sign", app.path, "--key", keys + team], in: folder)
            #expect(signed.status == 0, "\(signed)")
        }
        try await sign(by: "ours")
        let host = try host()
        #expect(try await ask(host, "notes one") == "noted")
        try await sign(by: "ours")
        try await host.install(app: app.path)
        #expect(try await ask(host, "reads") == "one")
        try await host.trust(keyFile: keys + "theirs.pub", for: Self.appIdentifier)
        try await sign(by: "theirs")
        try await host.install(app: app.path)
        #expect(try await ask(host, "lists") == "")
        #expect(try await ask(host, "notes two") == "noted")
        #expect(try await ask(host, "reads") == "two")
        await eventually { (try? FileManager.default.contentsOfDirectory(atPath: place + "/@removed")) == [] }
    }

    @Test func `files have the same owner on disk at each launch`() async throws {
        let host = try host()
        var owners: Set<UInt32> = []
        for number in 0..<3 {
            #expect(try await ask(host, "notes \(number)") == "noted")
            #expect(try await ask(host, "owns") == "true")
            owners.insert(try owner(kept + "/notes"))
        }
        #expect(try owners == [owner(kept)])
        if getuid() != 0 { #expect(owners == [getuid()]) }
        let session = try await host.begin(Self.identifier)
        #expect(session.launchReport.privateDirectory == (getuid() == 0 ? .idMap : .caller))
        #expect("\(session.launchReport)".contains("private directory: owner by"))
        #expect(await session.complete().reason == .completed)
    }

    @Test(.enabled(if: getuid() == 0, "needs root, who alone may mount here"))
    func `a file system without id maps keeps files for one user per app`() async throws {
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        try #require(mount("annex-test", place, "ramfs", 0, nil) == 0)
        defer { umount2(place, Int32(MNT_DETACH)) }
        chmod(place, 0o700)
        let host = try host()
        #expect(try await ask(host, "notes one") == "noted")
        #expect(try await ask(host, "reads") == "one")
        #expect(try owner(kept + "/notes") == owner(kept) && owner(kept) != 0)
        let session = try await host.begin(Self.identifier)
        #expect(session.launchReport.privateDirectory == .userOfApp)
        #expect(await session.complete().reason == .completed)
        try await host.remove(app: Self.appIdentifier)
        await eventually { (try? FileManager.default.contentsOfDirectory(atPath: place + "/@removed")) == [] }
    }

    @Test func `two instances share the directory`() async throws {
        let host = try host()
        let (one, other) = (try await host.begin(Self.identifier), try await host.begin(Self.identifier))
        let noted = try await one.request([ExtensionItem(contentText: "notes both")]).first?.contentText
        #expect(noted == "noted")
        #expect(try await other.request([ExtensionItem(contentText: "reads")]).first?.contentText == "both")
        for session in [one, other] { #expect(await session.complete().reason == .completed) }
    }

    @Test func `an extension without a private directory is told so`() async throws {
        let plain = try SubstituteApp(running: "keeps-notes")
        var wishes = BrokerConfiguration()
        wishes.patience = .patience
        let host = AnnexHost(service: try Broker(wishes))
        try await host.install(app: plain.path)
        let session = try await host.begin(Self.identifier)
        #expect(try await session.request([ExtensionItem(contentText: "where")]).first?.contentText == "none")
        #expect(session.launchReport.privateDirectory == nil)
        #expect(await session.complete().reason == .completed)
        #expect(!FileManager.default.fileExists(atPath: place))
    }

    // MARK: Out of reach

    @Test func `FS-34: nothing of another directory can be reached`() async throws {
        let host = try host()
        #expect(try await ask(host, "notes mine") == "noted")
        let other = "\(place)/com.example.other/com.example.other.part"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        try Data("theirs".utf8).write(to: URL(filePath: other + "/notes"))
        let above = "/private/../\(other)/notes"
        for path in [other + "/notes", above, "/private/../../com.example.other", place, "/proc/self/root" + other] {
            #expect(try await ask(host, "tries " + path).hasPrefix("errno"), "\(path)")
        }
        // Inside the sandbox, a link that leads out of the directory must not work, even if another program made it.
        try FileManager.default.createSymbolicLink(atPath: kept + "/out", withDestinationPath: other + "/notes")
        #expect(try await ask(host, "tries /private/out") == "errno \(ENOENT)")
    }

    @Test func `FS-35: a link in place of the directory stops the launch and its target is untouched`() async throws {
        let host = try host()
        #expect(try await ask(host, "notes mine") == "noted")
        let outside = folder.url.appending(path: "outside").path
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: false)
        try FileManager.default.moveItem(atPath: kept, toPath: kept + ".moved")
        try FileManager.default.createSymbolicLink(atPath: kept, withDestinationPath: outside)
        let error = try #require(await host.rejection(Self.identifier))
        #expect(error.code == .system && error.place == Self.identifier, "\(error)")
        #expect(error.what.contains("private directory") && error.what.contains("ELOOP"), "\(error)")
        #expect(error.remedy?.contains("move it away") == true, "\(error)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside).isEmpty)
    }

    @Test func `a broker without a place for private directories says so`() async throws {
        var wishes = BrokerConfiguration()
        wishes.patience = .patience
        let host = AnnexHost(service: try Broker(wishes))
        try await host.install(app: app.path)
        let error = try #require(await host.rejection(Self.identifier))
        #expect(error.code == .system && error.remedy?.contains("folder") == true, "\(error)")
    }

    // File modes do not stop root.
    @Test(arguments: getuid() == 0 ? ["file"] : ["file", "read-only"])
    func `a folder that cannot be made is an error with step and remedy`(fault: String) async throws {
        let files = FileManager.default
        if fault == "file" {
            try Data().write(to: URL(filePath: place))
        } else {
            try files.createDirectory(atPath: place, withIntermediateDirectories: false)
            chmod(place, 0o500)
        }
        let host = try host()
        let error = try #require(await host.rejection(Self.identifier))
        #expect(error.code == .system && error.what.contains("has no private directory: "), "\(error)")
        #expect(error.what.contains(fault == "file" ? "ENOTDIR" : "EACCES") && error.remedy != nil, "\(error)")
        chmod(place, 0o700)
    }

    // MARK: Limits

    @Test func `FS-36: an extension that fills its directory ends and is not launched again until there is room`()
        async throws
    {
        let host = try host()
        let end = try #require(try await ending(host.begin(Self.identifier), "overruns"))
        #expect(end.reason == .diskLimit && "\(end.detail)".contains("files in its private directory"), "\(end)")
        let error = try #require(await host.rejection(Self.identifier))
        #expect(error.code == .privateDirectoryFull && error.remedy?.contains(kept) == true, "\(error)")
        for name in try FileManager.default.contentsOfDirectory(atPath: kept) {
            try FileManager.default.removeItem(atPath: kept + "/" + name)
        }
        #expect(try await ask(host, "notes room") == "noted")
    }

    @Test func `FS-36: bytes count as they lie on the disk`() async throws {
        let host = try host()
        _ = try await ask(host, "lists")
        let sparse = FileManager.default
        try #require(sparse.createFile(atPath: kept + "/sparse", contents: nil))
        truncate(kept + "/sparse", 1 << 40)
        #expect(try await ask(host, "lists") == "sparse")
        try Data(count: 17 << 20).write(to: URL(filePath: kept + "/large"))
        let error = try #require(await host.rejection(Self.identifier))
        #expect(error.code == .privateDirectoryFull && error.what.contains("bytes"), "\(error)")
    }

    // MARK: Removal

    @Test func `FS-37: whatever an extension left goes with its app and nothing else does`() async throws {
        let host = try host()
        #expect(try await ask(host, "nests 50") == "nested")
        #expect(try await ask(host, "litters 50") == "littered")
        // This request leaves files that an ordinary user cannot count, so the next check ends this session, on a busy
        // machine before the answer has come.
        let session = try await host.begin(Self.identifier)
        if let early = try await ending(session, "spoils") { #expect(early.reason == .diskLimit, "\(early)") }
        _ = await session.complete()
        try #require(FileManager.default.fileExists(atPath: kept + "/closed/inner"))
        let outside = folder.url.appending(path: "outside")
        try Data("kept".utf8).write(to: outside)
        try FileManager.default.createSymbolicLink(atPath: kept + "/link", withDestinationPath: outside.path)
        try FileManager.default.linkItem(atPath: outside.path, toPath: kept + "/hard")
        try #require(mkfifo(kept + "/pipe", 0o600) == 0)
        try await host.remove(app: Self.appIdentifier)
        #expect(!FileManager.default.fileExists(atPath: "\(place)/\(Self.appIdentifier)"))
        await eventually { (try? FileManager.default.contentsOfDirectory(atPath: place + "/@removed")) == [] }
        #expect(try Data(contentsOf: outside) == Data("kept".utf8))
    }

    @Test func `a directory in use is removed when its last instance has ended`() async throws {
        let host = try host()
        let session = try await host.begin(Self.identifier)
        let other = try self.host()
        #expect(try await ask(other, "notes used") == "noted")
        // The first host's extension continues to run while another broker removes the app.
        try await other.remove(app: Self.appIdentifier)
        let removed = place + "/@removed"
        #expect(try FileManager.default.contentsOfDirectory(atPath: removed).count == 1)
        #expect(try await session.request([ExtensionItem(contentText: "reads")]).first?.contentText == "used")
        #expect(await session.complete().reason == .completed)
        await eventually { (try? FileManager.default.contentsOfDirectory(atPath: removed)) == [] }
    }

    @Test func `an update that drops an extension removes its directory`() async throws {
        let host = try host()
        #expect(try await ask(host, "notes old") == "noted")
        let next = try SubstituteApp(running: "keeps-notes")
        try FileManager.default.removeItem(atPath: next.path + "/PlugIns/Loud.appex")
        try await host.install(app: next.path)
        await eventually { !FileManager.default.fileExists(atPath: kept) }
        #expect(FileManager.default.fileExists(atPath: "\(place)/\(Self.appIdentifier)"))
    }

    @Test func `the next broker finishes a removal that a kill interrupted`() async throws {
        let left = place + "/@removed/x/com.example.gone"
        try FileManager.default.createDirectory(atPath: left + "/deep/deeper", withIntermediateDirectories: true)
        for folder in [place, place + "/@removed"] { chmod(folder, 0o700) }
        for number in 0..<3000 { try Data().write(to: URL(filePath: left + "/\(number)")) }
        let host = try host()
        await eventually { (try? FileManager.default.contentsOfDirectory(atPath: place + "/@removed")) == [] }
        #expect(await host.extensions().count == 1)
    }

    @Test func `the end of a host keeps the directories`() async throws {
        do {
            let host = try host()
            #expect(try await ask(host, "notes stays") == "noted")
        }
        #expect(try await ask(host(), "reads") == "stays")
    }
}
