import AnnexTestSupport
import Foundation
import Testing

/// The sandbox has a `/tmp` of its own. What the caller has below `/tmp` is treated like files elsewhere.
@Suite(.timeLimit(.minutes(20))) struct RunBelowTmpTests {
    /// A directory below `/tmp`, in which any user can write.
    private final class Job: Sendable {
        let path: String

        init() throws {
            path = "/tmp/annex-job-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: path + "/sub", withIntermediateDirectories: true)
            for (name, text) in [("in.txt", "text\n"), ("old.txt", "old\n")] {
                try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
                chmod("\(path)/\(name)", 0o666)
            }
            for place in [path, path + "/sub"] { chmod(place, 0o777) }
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private let job: Job
    private let elsewhere: TemporaryFolder

    init() throws {
        job = try Job()
        elsewhere = try TemporaryFolder()
        chmod(elsewhere.url.path, 0o755)
    }

    /// Runs a script in the directory below `/tmp`.
    private func run(_ options: [String], script: String) async throws -> Program {
        let annex = ExampleBundles.products.appending(path: "annex").path
        return try await Program.run(
            "/bin/sh",
            ["-c", "cd \"$0\" && exec \"$@\"", job.path, annex, "run"] + options + ["--", "sh", "-c", script],
            in: elsewhere)
    }

    private static func hint(_ program: Program) -> String {
        program.errors.split(separator: "\n").last.map(String.init) ?? ""
    }

    @Test(arguments: [
        "tr a-z A-Z <in.txt >out.txt", "tr a-z A-Z <in.txt >out", "cp in.txt out", "touch out", "mkdir -p out/deep",
        "cp in.txt old.txt", "mv in.txt new.txt", "head -c 4 in.txt | tee out",
    ])
    func `a result in a working directory that was not handed over is not lost in silence`(script: String) async throws
    {
        let lost = try await run(["--read", "in.txt"], script: script)
        #expect(lost.status != 0, "\(lost.output)")
        #expect(
            Self.hint(lost).hasPrefix("annex: hint: ") && Self.hint(lost).contains("add --write ."), "\(lost.errors)")
        let kept = try await run(["--write", "."], script: "tr a-z A-Z <in.txt >out.txt")
        #expect(kept.status == 0, "\(kept.errors)")
        #expect(try String(contentsOfFile: job.path + "/out.txt", encoding: .utf8) == "TEXT\n")
    }

    @Test func `nothing is written beside a granted path below tmp, and everything in tmp itself`() async throws {
        let script = """
            ! touch \(job.path)/new 2>/dev/null && ! mkdir \(job.path)/new 2>/dev/null && touch sub/new &&
            d=$(mktemp -d) && echo x > $d/new && echo y > /tmp/new && echo z > "$TMPDIR/other" && cat in.txt && rm -r $d
            """
        let ran = try await run(["--read", "in.txt", "--write", "sub"], script: script)
        #expect(ran.status == 0 && ran.output == "text\n", "\(ran.errors)")
        #expect(FileManager.default.fileExists(atPath: job.path + "/sub/new"))
        let empty = try await run([], script: "ls -A . && ! touch new 2>/dev/null && touch /dev/shm/new")
        #expect(empty.status == 0 && empty.output.isEmpty, "\(empty.errors)")
    }

    @Test func `the hint names the directory of the caller in which a file was to be made`() async throws {
        let beside = try await Program.annex(
            ["run", "--read", job.path + "/in.txt", "--", "sh", "-c", "echo x > \(job.path)/out.txt"], in: elsewhere)
        #expect(Self.hint(beside).contains("add --write \(job.path);"), "\(beside.errors)")
        let below = try await run(["--read", "in.txt"], script: "echo x > sub/out.txt")
        #expect(Self.hint(below).contains("add --write \(job.path)/sub;"), "\(below.errors)")
        // The program's own `/tmp` is not meant.
        let own = try await run(
            [], script: "mkdir -m 0 /tmp/own; echo 'sh: cannot create /tmp/own/x: Permission denied' >&2; exit 1")
        #expect(!own.errors.contains("--write /tmp"), "\(own.errors)")
    }

    @Test func `explain names paths of the caller below tmp, and not what the program has there itself`() async throws {
        let name = "/tmp/annex-both-\(UUID().uuidString)"
        try Data("x".utf8).write(to: URL(filePath: name))
        defer { unlink(name) }
        chmod(name, 0o644)
        let script = """
            cat \(job.path)/old.txt; cat sub/none; touch new; test -e \(job.path)/never
            echo own > \(name); cat \(name); ls /tmp; exit 0
            """
        let ran = try await run(["--read", "in.txt", "--explain"], script: script)
        #expect(ran.status == 0 && ran.output.hasPrefix("own\n"), "\(ran.output)\(ran.errors)")
        // A note says that the program's own file is gone with the sandbox.
        let lines = ran.errors.split(separator: "\n").filter { $0.hasPrefix("annex: ") && !$0.contains(": note: ") }
        #expect(
            lines.contains {
                $0.contains("\(job.path)/old.txt: denied by") && $0.hasSuffix("--read \(job.path)/old.txt")
            },
            "\(ran.errors)")
        #expect(
            lines.contains { $0.contains("make \(job.path)/new: denied by") && $0.hasSuffix("--write \(job.path)") },
            "\(ran.errors)")
        #expect(!lines.contains { $0.contains(name) || $0.contains("never") || $0.contains("none") }, "\(ran.errors)")
    }

    @Test func `DEPUTY-11: below tmp no link of another user is followed`() async throws {
        let link = job.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/etc/shadow")
        let printed = try await run(
            ["--read", "in.txt"], script: "cat link; cat link/.; echo 'cat: link/.: Permission denied' >&2; exit 1")
        #expect(!printed.errors.contains("/etc/shadow"), "\(printed.errors)")
        let explained = try await run(["--read", "in.txt", "--explain"], script: "cat link; exit 0")
        #expect(!explained.errors.contains("/etc/shadow"), "\(explained.errors)")
    }
}
