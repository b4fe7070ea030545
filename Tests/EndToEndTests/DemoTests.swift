import AnnexTestSupport
import Foundation
import Testing

/// `annex demo`, run as a user runs it.
@Suite(.timeLimit(.minutes(20))) struct DemoTests {
    /// The reason that the host must get for each conduct, as the demo's JSON names it.
    static let reasons: [String: Set<String>] = [
        "readsHostFiles": ["completed"],
        "opensSocket": ["deniedOperation"],
        "forks": ["deniedOperation"],
        "executes": ["deniedOperation"],
        "takesTooMuchMemory": ["memoryLimit"],
        "hoardsNamelessFiles": ["memoryLimit"],
        "neverAnswers": ["timeLimit"],
        "neverSaysHello": ["launchLimit"],
        "sendsMalformedMessage": ["protocolViolation"],
        "floods": ["messageBudget"],
        "floodsOutput": ["outputLimit"],
        "crashes": ["crashed"],
        "aborts": ["crashed"],
        "traps": ["crashed"],
        "handsOverDescriptor": ["protocolViolation"],
    ]

    @Test func `every attack of the demo is held with its reason and the host lives`() async throws {
        let folder = try TemporaryFolder()
        let reports = folder.url.appending(path: "reports").path
        let run = try await Program.run(
            "annex", ["demo", "--json", "--app", ExampleBundles.path(of: "Pictures.app")], in: folder,
            environment: ["ANNEX_REPORTS": reports])
        #expect(run.status == 0, "\(run.errors)")
        // In addition, the picture is edited once before the attacks and once after them.
        #expect(try FileManager.default.contentsOfDirectory(atPath: reports).count == Self.reasons.count + 2)
        let report = try JSONDecoder().decode(DemoReport.self, from: Data(run.output.utf8))
        #expect(report.picture.edited != nil)
        #expect(report.hostLives == true)
        #expect(Set(report.tries.map(\.conduct)) == Set(Self.reasons.keys))
        for entry in report.tries {
            #expect(Self.reasons[entry.conduct]?.contains(entry.reason) == true, "\(entry)")
            #expect(entry.held, "\(entry)")
            #expect(entry.leakedDescriptors == 0, "\(entry)")
        }
        #expect(report.tries.first { $0.conduct == "aborts" }?.detail.hasPrefix("SIGABRT") == true)
        #expect(report.tries.first { $0.conduct == "crashes" }?.detail.hasPrefix("SIGSEGV") == true)
        let trap = report.tries.first { $0.conduct == "traps" }?.detail ?? ""
        #expect(trap.hasPrefix("SIGILL") || trap.hasPrefix("SIGTRAP"), "\(trap)")
        let socket = report.tries.first { $0.conduct == "opensSocket" }?.detail ?? ""
        #expect(socket.contains("socket(") && socket.contains("AF_INET"), "\(socket)")
    }

    @Test func `the result lies beside the original and never replaces a file`() async throws {
        let folder = try TemporaryFolder()
        let app = try ExampleBundles.path(of: "Pictures.app")
        _ = try await Program.annex("demo", "--picture-only", "--app", app, in: folder)
        let original = try Data(contentsOf: folder.url.appending(path: "sample.png"))
        let second = try await Program.annex("demo", "sample.png", "--picture-only", "--app", app, in: folder)
        #expect(second.status == 0, "\(second.errors)")
        #expect(folder.names == ["sample-edited-2.png", "sample-edited.png", "sample.png"])
        #expect(try Data(contentsOf: folder.url.appending(path: "sample.png")) == original)
    }

    @Test(arguments: ["truncated", "zero", "text", "huge"])
    func `a broken picture gives one clear error`(kind: String) async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "\(kind).png")
        try BrokenPicture.bytes(kind).write(to: file)
        let app = try ExampleBundles.path(of: "Pictures.app")
        let run = try await Program.annex("demo", file.path, "--picture-only", "--app", app, in: folder)
        #expect(run.status == 1)
        #expect(run.errors.hasPrefix("✗") && run.errors.split(separator: "\n").count == 1, "\(run.errors)")
        #expect(run.output.isEmpty)
        #expect(folder.names == ["\(kind).png"])
    }

    @Test(arguments: [["demo", "/no/such/picture.png"], ["demo", "/dev/zero"], ["demo", "/tmp"]])
    func `the error for a picture that is no file names it`(arguments: [String]) async throws {
        let folder = try TemporaryFolder()
        let app = try ExampleBundles.path(of: "Pictures.app")
        let run = try await Program.annex(arguments + ["--picture-only", "--app", app], in: folder)
        #expect(run.status == 1)
        #expect(run.errors.contains(arguments[1]), "\(run.errors)")
    }
}
