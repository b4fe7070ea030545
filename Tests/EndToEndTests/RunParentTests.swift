import AnnexTestSupport
import Foundation
import Testing

/// `annex run --end-with-parent`: the program ends with the process that started `annex`.
@Suite(.timeLimit(.minutes(20))) struct RunParentTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Starts `annex run` from a shell that ends by SIGKILL as soon as the program runs. The pipe to `cat` ends when
    /// `annex` has ended.
    private func orphan(_ option: String, script: String) async throws -> (said: Program, report: String) {
        let annex = ExampleBundles.products.appending(path: "annex").path
        let line = """
            sh -c '"$0" run \(option) --write . --report end.json -- sh -c "$1" & \
            until [ -e up ]; do sleep 0.05; done; kill -9 $$' "$0" "$1" | cat
            """
        let said = try await Program.run("/bin/sh", ["-c", line, annex, script], in: folder)
        let report = try String(contentsOf: folder.url.appending(path: "end.json"), encoding: .utf8)
        return (said, report)
    }

    @Test func `a program is asked to end when the parent is killed`() async throws {
        let script = "trap 'echo asked; exit 3' TERM; > up; while :; do sleep 0.1; done"
        let (said, report) = try await orphan("--end-with-parent", script: script)
        #expect(said.output == "asked\n", "\(said.errors)")
        #expect(report.contains("the parent ended; exit code 3"), "\(report)")
    }

    @Test func `a program that ignores the request is ended after its grace`() async throws {
        let script = "trap '' TERM; > up; while :; do sleep 0.1; done"
        let (said, report) = try await orphan("--end-with-parent --timeout none", script: script)
        #expect(said.errors.contains("annex: ended: cancelled: the parent ended; did not end within"), "\(said.errors)")
        #expect(report.contains("cancelled"), "\(report)")
    }

    @Test func `without the option a program outlives the parent`() async throws {
        let script = "> up; sleep 1; echo over"
        let (said, report) = try await orphan("--timeout 100", script: script)
        #expect(said.output == "over\n" && !report.contains("parent"), "\(said.errors)\(report)")
    }

    @Test func `a program that ends by itself ends as without the option`() async throws {
        let said = try await Program.annex(["run", "--end-with-parent", "--", "sh", "-c", "exit 4"], in: folder)
        #expect(said.status == 4, "\(said.errors)")
    }
}
