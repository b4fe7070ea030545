import AnnexTestSupport
import Foundation
import Testing

/// A host on a machine without Landlock. A filter around the host simulates this machine.
@Suite(.timeLimit(.minutes(20))) struct DispensableLayerTests {
    private struct Report: Decodable {
        struct Picture: Decodable {
            let edited: String?
            let layers: [String]
            let waived: [String]
        }

        let picture: Picture
    }

    private static func demo(_ more: String..., in folder: TemporaryFolder) async throws -> Program {
        let annex = ExampleBundles.products.appending(path: "annex").path
        let app = try ExampleBundles.path(of: "Pictures.app")
        return try await Program.run(
            "restricts-itself",
            ["no-landlock", "--", annex, "demo", "--json", "--picture-only", "--app", app] + more, in: folder)
    }

    @Test func `a missing layer that the host waives is named in the launch report`() async throws {
        let folder = try TemporaryFolder()
        let run = try await Self.demo("--waive", "landlock", "--waive", "keyring", in: folder)
        #expect(run.status == 0, "\(run.errors)\(run.output)")
        let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
        // The machine has the keyring layer, so the sandbox uses it.
        #expect(report.picture.waived == ["landlock"] && report.picture.layers.contains("keyring"))
        #expect(report.picture.edited != nil && report.picture.layers.count == 15)
    }

    @Test func `at best effort one line names the missing layer and the picture is edited`() async throws {
        let folder = try TemporaryFolder()
        let run = try await Self.demo("--best-effort", in: folder)
        #expect(run.status == 0, "\(run.errors)\(run.output)")
        #expect(run.errors == "annex: best effort: this machine lacks landlock\n")
        let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
        #expect(report.picture.waived == ["landlock"] && report.picture.edited != nil)
    }

    @Test func `a missing layer that the host does not waive fails with cause and remedy`() async throws {
        let folder = try TemporaryFolder()
        let run = try await Self.demo(in: folder)
        #expect(run.status == 1)
        #expect(run.errors.contains("Landlock: landlock_create_ruleset: ENOSYS") && run.errors.contains("lsm="))
        #expect(run.errors.contains("--waive landlock (or --best-effort)"), "\(run.errors)")
        #expect(run.errors.contains("start the host with `waiving: [.landlock]`"), "\(run.errors)")
    }

    @Test func `a host of the daemon is told what the administrator and the host can do`() async throws {
        let folder = try TemporaryFolder()
        let socket = folder.url.path + "/s"
        let daemon = try ChildProcess(
            ChildProcess.executable("restricts-itself"),
            arguments: [
                "no-landlock", "--", ChildProcess.executable("annexd").path, "--socket", socket, "--state",
                folder.url.path + "/state",
            ],
            environment: ProcessInfo.processInfo.environment.merging(["ANNEX_REPORTS": ""]) { $1 }, output: .none,
            errors: .none)
        await eventually { access(socket, F_OK) == 0 || !daemon.isRunning }
        let app = try ExampleBundles.path(of: "Pictures.app")
        let run = try await Program.annex("install", "--socket", socket, app, in: folder)
        #expect(run.status == 1 && run.errors.contains("ENOSYS"), "\(run)")
        #expect(run.errors.contains("annexd leaves out no layer. Its administrator finds the causes"), "\(run)")
        #expect(run.errors.contains("`waiving: [.landlock]`") && !run.errors.contains("--waive"), "\(run)")
        daemon.signal(SIGTERM)
        await daemon.ended()
    }
}
