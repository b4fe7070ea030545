import AnnexTestSupport
import Foundation
import Testing

/// Tasks that failed in trials: the first message names the option, and with that option the same command works.
@Suite(.timeLimit(.minutes(20))) struct FailedTasksTests {
    static let found = FailedTask.all.filter { task in task.needs.allSatisfy { Program.isThere(tool: $0) } }

    @Test func `enough of the programs are installed to be tested`() {
        let missing = Set(FailedTask.all.flatMap(\.needs)).filter { !Program.isThere(tool: $0) }.sorted()
        print(
            "\(Self.found.count) of \(FailedTask.all.count) failed tasks; not installed: \(missing.joined(separator: " "))"
        )
        #expect(Self.found.count >= 10)
    }

    @Test(arguments: found) func `the first message is enough`(task: FailedTask) async throws {
        let folder = try TemporaryFolder()
        chmod(folder.url.path, 0o777)
        for (name, text) in task.files {
            try Data(text.utf8).write(to: folder.url.appending(path: name))
            chmod(folder.url.path + "/" + name, 0o666)
        }
        let failed = try await run(task.guess, of: task, in: folder)
        #expect(failed.status != 0)
        let last = failed.errors.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
        #expect(last.hasPrefix("annex: hint: ") && last.contains(task.hint), "\(failed.errors)")
        guard let remedy = task.remedy else { return }
        let worked = try await run(remedy, of: task, in: folder)
        #expect(worked.status == 0, "\(worked.errors)")
    }

    private func run(_ options: [String], of task: FailedTask, in folder: TemporaryFolder) async throws -> Program {
        try await Program.annex(["run"] + options + ["--", "sh", "-c", task.script], in: folder)
    }
}
