import AnnexTestSupport
import Foundation
import Testing

/// `annex request`, as a shell sees it.
@Suite(.timeLimit(.minutes(20))) struct RequestCommandTests {
    private let folder: TemporaryFolder
    private let shout: String
    private let pictures: String

    init() throws {
        folder = try TemporaryFolder()
        shout = try ExampleBundles.path(of: "Shout.app")
        pictures = try ExampleBundles.path(of: "Pictures.app")
    }

    private func request(_ arguments: String...) async throws -> Program {
        try await Program.annex(["request"] + arguments, in: folder)
    }

    private func object(_ ran: Program) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(ran.output.utf8)) as? [String: Any], "\(ran)")
    }

    @Test func `the text of an answer is printed`() async throws {
        let ran = try await request("com.example.shout.loud", "--app", shout, "--text", "hello")
        #expect(ran.status == 0 && ran.output == "HELLO\n" && ran.errors.isEmpty, "\(ran)")
    }

    @Test func `control characters of an answer never reach the terminal`() async throws {
        let ran = try await request("com.example.shout.loud", "--app", shout, "--text", "a\u{1B}[31m\nb")
        #expect(ran.status == 0 && ran.output == "A\\u{1b}[31M\nB\n", "\(ran)")
    }

    @Test func `an attachment is stored under a name of its own and replaces no file`() async throws {
        let made = try await Program.annex("demo", "--picture-only", "--app", pictures, in: folder)
        #expect(made.status == 0, "\(made)")
        let before = folder.names
        for number in 1...2 {
            let ran = try await request(
                "com.example.pictures.editor", "--app", pictures, "--file", "sample.png", "--info", "edit=invert",
                "--out", "edited", "--point", "com.apple.photo-editing", "--json")
            #expect(ran.status == 0, "\(ran)")
            let answer = try object(ran)
            let items = try #require(answer["items"] as? [[String: Any]])
            let files = items.flatMap { $0["attachments"] as? [[String: Any]] ?? [] }.compactMap {
                $0["file"] as? String
            }
            #expect(files == ["edited/answer-\(number).png"] && answer["end"] as? String == "completed", "\(ran)")
            let stored = try Data(contentsOf: folder.url.appending(path: "edited/answer-\(number).png"))
            #expect(stored.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        }
        #expect(folder.names == (before + ["edited"]).sorted())
    }

    @Test func `an extension that answers with an error is named with it`() async throws {
        let ran = try await request("com.example.pictures.editor", "--app", pictures, "--info", "edit=magic")
        #expect(ran.status == 1 && ran.errors.contains("annex: the extension answered with an error"), "\(ran)")
    }

    @Test func `the end of an extension that fails is printed and is in the JSON`() async throws {
        let ran = try await request(
            "com.example.pictures.misbehaver", "--app", pictures, "--info", "conduct=crashes", "--json")
        #expect(ran.status == 1 && ran.errors.hasPrefix("annex: ended: crashed: SIGSEGV"), "\(ran)")
        #expect(try object(ran)["end"] as? String == "crashed")
    }

    /// The reasons in the reports of a folder, sorted.
    private func reasons(in place: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: place.path).filter { $0.hasSuffix(".json") }.map { name in
            let bytes = try Data(contentsOf: place.appending(path: name))
            let report = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
            return report["reason"] as? String ?? ""
        }.sorted()
    }

    @Test func `L6: each failed request leaves exactly one report with its reason`() async throws {
        let place = folder.url.appending(path: "reports")
        let failures = [
            (["com.example.pictures.editor", "--info", "edit=magic"], "cancelled"),
            (["com.example.pictures.misbehaver", "--info", "conduct=crashes"], "crashed"),
            (["com.example.pictures.misbehaver", "--info", "conduct=opensSocket"], "deniedOperation"),
            (["com.example.pictures.silent"], "launchLimit"),
        ]
        var expected: [String] = []
        for (failure, reason) in failures {
            for _ in 0..<5 {
                let ran = try await Program.run(
                    "annex", ["request"] + failure + ["--app", pictures], in: folder,
                    environment: ["ANNEX_REPORTS": place.path])
                #expect(ran.status == 1, "\(ran)")
                // On a busy machine, any launch may take longer than its limit.
                expected.append(ran.errors.contains("launchLimit") ? "launchLimit" : reason)
            }
        }
        #expect(try reasons(in: place) == expected.sorted() && expected.count == 20)
    }

    @Test func `L6: failed requests through a daemon leave exactly one report each`() async throws {
        let daemon = try await TestDaemon()
        #expect(try await Program.annex("install", pictures, "--socket", daemon.socket, in: folder).status == 0)
        for _ in 0..<5 {
            let ran = try await request(
                "com.example.pictures.editor", "--socket", daemon.socket, "--info", "edit=magic")
            #expect(ran.status == 1, "\(ran)")
        }
        #expect(await daemon.end() == .exited(0))
        #expect(try reasons(in: daemon.reports) == ["cancelled", "cancelled", "cancelled", "cancelled", "cancelled"])
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func `L6: a request that a signal ends leaves a report`(
        signal: Int32
    ) async throws {
        let place = folder.url.appending(path: "reports")
        let command = try ChildProcess(
            ChildProcess.executable("annex"),
            arguments: [
                "request", "com.example.pictures.misbehaver", "--info", "conduct=neverAnswers", "--app", pictures,
            ],
            environment: ProcessInfo.processInfo.environment.merging(["ANNEX_REPORTS": place.path]) { $1 },
            in: folder.url, output: .none, errors: .none)
        await eventually { !ProcessTable.children(of: ProcessTable.wardens(of: command.number)).isEmpty }
        command.signal(signal)
        #expect(await command.ended() == .exited(128 + signal))
        #expect(try reasons(in: place) == ["brokerShutdown"])
    }

    @Test func `each kind of failure has its exit status`() async throws {
        let unknown = try await request("com.example.none", "--app", shout)
        let empty = try MadeApp("com.example.empty", carrying: [])
        let nothing = try await request("com.example.empty.part", "--app", empty.path)
        #expect(nothing.status == 1 && nothing.errors.contains("no extension is installed"), "\(nothing)")
        #expect(unknown.status == 1 && unknown.errors.contains("com.example.none: is not installed"), "\(unknown)")
        let file = try await request("com.example.shout.loud", "--app", shout, "--file", "missing.txt")
        #expect(file.status == 66 && file.errors.contains("missing.txt"), "\(file)")
        let daemon = try await request("com.example.shout.loud", "--socket", "missing.socket")
        #expect(daemon.status == 69, "\(daemon)")
        let both = try await request("com.example.shout.loud", "--app", shout, "--system")
        #expect(both.status == 64, "\(both)")
        #expect(try await request("com.example.shout.loud", "--info", "=x").status == 64)
    }

    @Test func `a daemon serves a request like a broker of its own`() async throws {
        let daemon = try await TestDaemon()
        #expect(try await Program.annex("install", shout, "--socket", daemon.socket, in: folder).status == 0)
        let ran = try await request("com.example.shout.loud", "--socket", daemon.socket, "--text", "hello")
        #expect(ran.status == 0 && ran.output == "HELLO\n", "\(ran)")
    }
}
