import AnnexChannel
import AnnexEmbedded
import AnnexHost
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnexBroker

/// Reports of extensions that really ran, and `annex reports`, which shows them.
@Suite(.timeLimit(.minutes(20))) struct ReportsTests {
    private let app: SubstituteApp
    private let folder: TemporaryFolder

    init() throws {
        app = try SubstituteApp(running: "works-on")
        folder = try TemporaryFolder()
    }

    private var place: URL { folder.url.appending(path: "reports") }

    private func host() throws -> AnnexHost {
        try AnnexHost.embedded(
            apps: [app.path], patience: .patience, holdsBack: false, reports: .folder(place.path))
    }

    private func end(_ host: AnnexHost, _ words: String) async throws -> Termination {
        let session = try await host.begin(SubstituteApp.identifier)
        do {
            _ = try await session.request([ExtensionItem(contentText: words)])
            return await session.complete()
        } catch HostError.ended(let termination) {
            return termination
        }
    }

    private func kept(_ count: Int) async -> [URL] {
        func all() -> [URL] {
            ((try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []).sorted()
                .filter { $0.hasSuffix(".json") }.map { place.appending(path: $0) }
        }
        await eventually { all().count >= count }
        return all()
    }

    private func report(_ file: URL) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    }

    @Test func `L6: each end has a report on disk that agrees with the host`() async throws {
        let host = try host()
        let ends = [try await end(host, "looks 1"), try await end(host, "exits")]
        let files = await kept(2)
        #expect(files.count == 2)
        for (file, end) in zip(files, ends) {
            let report = try report(file)
            #expect(report["reason"] as? String == end.reason.rawValue, "\(report)")
            #expect(report["detail"] as? String == end.detail.description)
            #expect(report["identifier"] as? String == SubstituteApp.identifier)
            let messages = try #require(report["messages"] as? [String: Int])
            #expect(messages["sent"].map(UInt64.init) == end.usage.messages?.messagesSent && messages["sent"] != 0)
            #expect((report["limits"] as? [Any])?.count == LimitName.allCases.count)
            let steps = try #require(report["steps"] as? [[String: Any]])
            #expect(steps.last?["name"] as? String == "hello")
            #expect(!((report["layers"] as? [String]) ?? []).isEmpty)
        }
        #expect(try report(files[1])["exitCode"] as? Int == 3)
    }

    @Test func `L6: a launch that never reached its hello has a report too`() async throws {
        let silent = try SubstituteApp(running: "Silent")
        var wishes = BrokerConfiguration()
        wishes.reports = .folder(place.path)
        wishes.adjust = { $0.launch = .milliseconds(200) }
        let broker = try Broker(wishes)
        _ = try broker.install(app: silent.path)
        await #expect(throws: HostError.self) { try await AnnexHost(service: broker).begin(SubstituteApp.identifier) }
        let report = try report(try #require(await kept(1).first))
        #expect(report["reason"] as? String == "launchLimit", "\(report)")
        #expect((report["limits"] as? [Any])?.isEmpty == false)
    }

    @Test func `a host that exits at once loses no report`() async throws {
        let (app, place) = (app.path, place.path)
        await #expect(processExitsWith: .success) { [app = app as String, place = place as String] in
            ReportQueue.lastMoment.withLock { $0 = .patience }
            let host = try AnnexHost.embedded(apps: [app], patience: .patience, reports: .folder(place))
            let session = try host.beginAndWait(SubstituteApp.identifier)
            _ = session.completeAndWait()
            exit(0)
        }
        #expect(await kept(1).count == 1)
    }

    @Test func `L6: a host that exits with running extensions loses no report`() async throws {
        let (app, place) = (app.path, place.path)
        await #expect(processExitsWith: .success) { [app = app as String, place = place as String] in
            ReportQueue.lastMoment.withLock { $0 = .patience }
            let host = try AnnexHost.embedded(apps: [app], patience: .patience, reports: .folder(place))
            let running = try (0..<3).map { _ in try host.beginAndWait(SubstituteApp.identifier) }
            for _ in 0..<3 { _ = try host.beginAndWait(SubstituteApp.identifier) }
            withExtendedLifetime(running) { exit(0) }
        }
        let reasons = try await kept(6).map { try report($0)["reason"] as? String }
        #expect(reasons.count { $0 == "brokerShutdown" } == 3 && reasons.count { $0 == "cancelled" } == 3, "\(reasons)")
    }

    @Test func `L6: a host that is released has the reports of all its extensions`() async throws {
        var host: AnnexHost? = try host()
        for _ in 0..<3 { _ = try await host?.begin(SubstituteApp.identifier) }
        host = nil
        let reasons = try await kept(3).map { try report($0)["reason"] as? String }
        #expect(reasons == ["cancelled", "cancelled", "cancelled"])
    }

    @Test func `a crash loses no line that the extension printed before`() async throws {
        let end = try await end(try host(), "prints")
        #expect(end.lastOutput.contains(Escaped("about to crash")), "\(end.lastOutput)")
        #expect(end.lastOutput.contains { $0.description.contains("my own words") }, "\(end.lastOutput)")
        let report = try report(try #require(await kept(1).first))
        #expect((report["lastOutput"] as? [String])?.contains("about to crash") == true, "\(report)")
    }

    // MARK: Private input

    /// Lets an extension print a secret word, name it in an activity and in a denied call, and crash with it.
    /// - Returns: the end, and all text of the reports.
    private func betrayal(at point: String, points: String? = nil) async throws -> (end: Termination, reports: String) {
        try app.setPoint(point)
        let host = try AnnexHost.embedded(
            apps: [app.path], points: points, patience: .patience, reports: .folder(place.path),
            keeping: .folder(folder.url.appending(path: "private").path))
        try await host.setEnabled(true, for: SubstituteApp.identifier)
        let end = try await end(host, "betrays 1 s3cret")
        let texts = try await kept(1).map { try String(contentsOf: $0, encoding: .utf8) }
        return (end, texts.joined())
    }

    @Test(arguments: [
        "com.apple.intents-service", "com.apple.keyboard-service", "com.apple.message-payload-provider",
        "com.apple.usernotifications.content-extension", "com.example.diary",
    ])
    func `L10: nothing that an extension of a point with private input prints or names is kept`(
        point: String
    ) async throws {
        let points = try TemporaryFolder()
        let text = "point: com.example.diary\nname: Diary\nsummary: Reads.\npolicy: compute\ninput: private\n"
        try Data(text.utf8).write(to: points.url.appending(path: "com.example.diary.yaml"))
        let (end, reports) = try await betrayal(at: point, points: points.url.path)
        #expect(end.reason == .crashed && end.denials.contains { $0.name == "chown" }, "\(end)")
        #expect(!"\(end) \(end.denials) \(end.lastOutput)".contains("s3cret"))
        #expect(reports.contains("\"crashed\"") && !reports.contains("s3cret"), "\(reports)")
    }

    @Test(arguments: [true, false])
    func `L10: the name of an activity is in the report unless the input is private`(isPrivate: Bool) async throws {
        try app.setPoint(isPrivate ? "com.apple.keyboard-service" : "com.apple.ui-services")
        let host = try host()
        try await host.setEnabled(true, for: SubstituteApp.identifier)
        let end = try await end(host, "overstays")
        #expect(end.reason == .graceExpired)
        let report = try String(contentsOf: try #require(await kept(1).first), encoding: .utf8)
        for text in ["\(end.detail)", report] { #expect(text.contains("story") != isPrivate, "\(text)") }
    }

    @Test func `L10: at another point the last output is in the report`() async throws {
        let (end, reports) = try await betrayal(at: "com.apple.ui-services")
        #expect(end.reason == .crashed && "\(end)".contains("s3cret"), "\(end)")
        #expect(reports.contains("typed: s3cret") && reports.contains("/s3cret"), "\(reports)")
    }

    @Test(arguments: [false, true]) func `L10: the channel of an extension with private input is not recorded`(
        isDaemon: Bool
    ) async throws {
        try app.setPoint("com.apple.keyboard-service")
        let daemon = isDaemon ? try await TestDaemon() : nil
        let host = try daemon.map { try AnnexHost.connectAndWait(to: $0.socket, patience: .patience) } ?? self.host()
        try await host.install(app: app.path)
        try await host.setEnabled(true, for: SubstituteApp.identifier)
        let file = folder.url.appending(path: "traffic.annexrec")
        let error = await #expect(throws: HostError.self) {
            try await host.begin(SubstituteApp.identifier) { $0.recording = ChannelRecording(to: file.path) }
        }
        guard case .rejected(let rejection)? = error else { return #expect(Bool(false), "not rejected") }
        #expect(rejection.code == .privateInput && !FileManager.default.fileExists(atPath: file.path), "\(rejection)")
    }

    @Test(arguments: ["/dev/null/reports", "/proc/reports"])
    func `an end is the same if its report cannot be kept`(path: String) async throws {
        let host = try AnnexHost.embedded(apps: [app.path], patience: .patience, reports: .folder(path))
        #expect(try await end(host, "looks 1").reason == .completed)
    }

    @Test func `a daemon keeps reports too`() async throws {
        let daemon = try await TestDaemon()
        let host = try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
        try await host.install(app: app.path)
        let end = try await end(host, "exits")
        #expect(end.reason == .exited && end.usage.messages?.messagesSent ?? 0 > 0, "\(end)")
        func all() -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: daemon.reports.path)) ?? []).filter {
                $0.hasSuffix(".json")
            }
        }
        await eventually { !all().isEmpty }
        let report = try report(daemon.reports.appending(path: try #require(all().first)))
        #expect(report["reason"] as? String == "exited" && report["exitCode"] as? Int == 3, "\(report)")
    }

    // MARK: annex reports

    private func annex(_ arguments: String...) async throws -> Program {
        try await Program.run(
            "annex", ["reports"] + arguments, in: folder, environment: ["ANNEX_REPORTS": place.path])
    }

    @Test func `reports are listed and the newest of one extension is shown in full`() async throws {
        #expect(try await annex().output.hasPrefix("no reports in "))
        let host = try host()
        for words in ["looks 1", "exits", "looks 1"] { _ = try await end(host, words) }
        _ = await kept(3)
        let all = try await annex()
        #expect(all.status == 0 && all.errors.isEmpty, "\(all)")
        let rows = all.output.split(separator: "\n")
        #expect(rows.count == 4 && rows.dropFirst().allSatisfy { $0.contains(SubstituteApp.identifier) }, "\(all)")
        #expect(rows[1].hasSuffix("completed") && rows[2].hasSuffix("exited  exit code 3"), "\(all)")
        #expect(rows.allSatisfy { $0.count <= 100 }, "\(all)")
        let one = try await annex(SubstituteApp.identifier)
        #expect(one.output.contains("control group") || one.output.contains("RLIMIT_DATA"), "\(one)")
        #expect(one.output.contains("Before that") && one.output.contains("hello"), "\(one)")
        #expect(try await annex("com.example.nobody").output.hasPrefix("no reports of com.example.nobody in "))
        #expect(try await annex("com.example.nobody", "--failures").output.hasPrefix("no reports of a failure of com"))
        let failed = try await annex("--failures", "--json")
        let object = try JSONSerialization.jsonObject(with: Data(failed.output.utf8)) as? [String: Any]
        let reports = try #require(object?["reports"] as? [[String: Any]], "\(failed)")
        #expect(reports.map { $0["reason"] as? String } == ["exited"])
        #expect(try await annex("--most", "1").output.split(separator: "\n").count == 2)
    }

    @Test func `a file that is no report is named and the others are shown`() async throws {
        _ = try await end(try host(), "looks 1")
        let file = try #require(await kept(1).first)
        let odd = file.lastPathComponent.replacing("com.example.shout.loud", with: "odd")
        try Data(
            "{\"time\": \"\\u001b[2J\", \"identifier\": \"\\u202e\", \"reason\": \"\\u0007\", \"detail\": \"\\n\"}".utf8
        )
        .write(to: place.appending(path: odd))
        try Data("{".utf8).write(to: place.appending(path: odd.replacing("-odd-", with: "-torn-")))
        try Data().write(to: place.appending(path: "\u{1B}[31m"))
        for arguments in [[], ["odd"], ["--json"]] {
            let ran = try await Program.run(
                "annex", ["reports"] + arguments, in: folder, environment: ["ANNEX_REPORTS": place.path])
            #expect(ran.status == 1 && (arguments == ["odd"] || ran.output.contains("completed")), "\(ran)")
            let said = ran.output + ran.errors
            #expect(said.unicodeScalars.allSatisfy { $0 == "\n" || !["\u{1B}", "\u{7}", "\u{202E}"].contains($0) })
            #expect(ran.errors.contains("not the name of a report"), "\(ran)")
            #expect(arguments == ["odd"] || ran.errors.contains("-torn-"), "\(ran)")
        }
    }

    @Test func `a folder that cannot be read is an error`() async throws {
        let missing = try await annex("--folder", folder.url.appending(path: "missing").path)
        #expect(missing.status == 66 && missing.errors.contains("ENOENT"), "\(missing)")
        let homeless = try await Program.tool(
            [
                "env", "-u", "HOME", "-u", "XDG_STATE_HOME", "-u", "ANNEX_REPORTS",
                ExampleBundles.products.appending(path: "annex").path, "reports",
            ])
        #expect(geteuid() == 0 || homeless.status == 66 && homeless.errors.contains("ANNEX_REPORTS"), "\(homeless)")
        let help = try await annex("--help")
        #expect(help.status == 0 && help.output.contains("EXIT STATUS"))
        #expect(try await annex("--most", "x").status == 64)
        for number in ["0", "-1"] {
            let ran = try await annex("--most", number)
            #expect(ran.status == 64 && ran.errors.contains("--most must be at least 1"), "\(ran)")
        }
    }
}
