import AnnexTestSupport
import Foundation
import Testing

/// Many programs go on without a file that they cannot execute. `annex run` names the file after a success too.
@Suite(.timeLimit(.minutes(20))) struct RunExecutionTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o777)
        try make("hook")
    }

    private var place: String { folder.url.resolvingSymlinksInPath().path }

    private func make(_ name: String, in folder: TemporaryFolder? = nil, mode: mode_t = 0o755) throws {
        let file = (folder ?? self.folder).url.appending(path: name)
        try Data("#!/bin/sh\necho ran\n".utf8).write(to: file)
        try FileManager.default.settle(file, mode: mode)
    }

    private func run(_ options: [String], script: String) async throws -> Program {
        try await Program.annex(["run"] + options + ["--", "sh", "-c", script], in: folder)
    }

    private static func notes(_ program: Program) -> [String] {
        program.errors.split(separator: "\n").map(String.init).filter {
            $0.hasPrefix("annex: note: ") && $0.contains(" may not be executed")
        }
    }

    @Test(
        arguments: ["--read", "--write"],
        [
            "test -x ./hook && ./hook; exit 0", "./hook 2>/dev/null; ./hook 2>/dev/null; exit 0",
            "cd /tmp; test -x \"$OLDPWD/hook\"; exit 0", "find . -executable; exit 0",
            "/usr/bin/env PATH=\"$PWD\" hook 2>/dev/null; exit 0",
        ])
    func `a file that the program may not execute is named once, also after a success`(option: String, script: String)
        async throws
    {
        let ran = try await run([option, "."], script: script)
        #expect(ran.status == 0 && !ran.output.contains("ran"), "\(ran.errors)")
        let expected = "annex: note: \(place)/hook may not be executed: add --execute \(place)/hook"
        #expect(Self.notes(ran).count == 1 && Self.notes(ran)[0].hasPrefix(expected), "\(ran.errors)")
        let worked = try await run([option, ".", "--execute", "\(place)/hook"], script: "test -x hook && ./hook")
        #expect(worked.output == "ran\n" && Self.notes(worked).isEmpty, "\(worked.errors)")
    }

    @Test(arguments: [
        "test -x plain; ./plain 2>/dev/null; exit 0", "test -x directory; exit 0", "test -x missing; exit 0",
        "cp hook made; test -x made; rm made; exit 0", "cp hook /tmp/hook; test -x /tmp/hook; exit 0",
        "test -r hook; test -w hook; sh hook", "ls >/dev/null; test -x \"$OUTSIDE\"; exit 0",
        "ln -s \"$OUTSIDE\" link; test -x link; ./link 2>/dev/null; exit 0",
        "ln -s . loop; ln -s self self; test -x loop; test -x self; exit 0",
    ])
    func `a refusal that has another reason is no note`(script: String) async throws {
        let outside = try TemporaryFolder()
        chmod(outside.url.path, 0o755)
        try make("tool", in: outside)
        try make("plain", mode: 0o644)
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "directory"), withIntermediateDirectories: false)
        let ran = try await run(
            ["--write", ".", "--env", "OUTSIDE=\(outside.url.resolvingSymlinksInPath().path)/tool"], script: script)
        #expect(ran.status == 0 && Self.notes(ran).isEmpty, "\(ran.errors)")
    }

    @Test func `the note follows links within the place that was handed over`() async throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.url.path + "/link", withDestinationPath: "./hook")
        let ran = try await run(["--write", "."], script: "test -x link; exit 0")
        #expect(Self.notes(ran).first?.contains("\(place)/hook may not be executed") == true, "\(ran.errors)")
        let outside = try TemporaryFolder()
        chmod(outside.url.path, 0o777)
        let link = outside.url.resolvingSymlinksInPath().path + "/place"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: place)
        let linked = try await run(["--write", link], script: "test -x \(link)/hook; exit 0")
        #expect(Self.notes(linked).first?.contains("\(place)/hook may not be executed") == true, "\(linked.errors)")
        let given = try await run(
            ["--write", link, "--execute", "\(link)/hook"], script: "test -x \(link)/hook && test -x \(place)/hook")
        #expect(given.status == 0 && Self.notes(given).isEmpty, "\(given.errors)")
    }

    @Test func `the note names three files and counts the others`() async throws {
        for number in 1...4 { try make("hook\(number)") }
        let ran = try await run(["--read", "."], script: "for f in hook*; do test -x $f; done; exit 0")
        let note = try #require(Self.notes(ran).first)
        #expect(note.contains("\(place)/hook2 and 2 more files may not be executed"), "\(note)")
        #expect(note.components(separatedBy: "--execute").count == 4, "\(note)")
    }

    @Test func `after a failure the note does not repeat the hint, and the report has the file`() async throws {
        let failed = try await run(["--write", "."], script: "./hook")
        #expect(failed.status == 126 && failed.errors.contains("annex: hint: \(place)/hook "), "\(failed.errors)")
        #expect(Self.notes(failed).isEmpty, "\(failed.errors)")
        let other = try await run(["--write", "."], script: "test -x hook; exit 3")
        #expect(other.errors.contains("\(place)/hook"), "\(other.errors)")
        let explained = try await run(["--write", ".", "--explain"], script: "test -x hook; exit 0")
        #expect(explained.errors.contains("execute \(place)/hook: denied by"), "\(explained.errors)")
        #expect(Self.notes(explained).isEmpty, "\(explained.errors)")
        _ = try await run(["--write", ".", "--report", "end.json"], script: "test -x hook; exit 0")
        let report = try String(contentsOf: folder.url.appending(path: "end.json"), encoding: .utf8)
        #expect(report.contains("--execute") && report.contains("hook"), "\(report)")
    }

    @Test(.enabled(if: Program.isThere(tool: "git"), "git is not installed"))
    func `a hook of git that refuses is not skipped in silence`() async throws {
        try Data("#!/bin/sh\necho refused >&2\nexit 1\n".utf8).write(to: folder.url.appending(path: "hook"))
        let git = "git -c user.name=a -c user.email=a@example.org -c advice.ignoredHook=false"
        let first = """
            set -e; mkdir w; cd w; git init -q .; echo x > f; git add f
            cp ../hook .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit; \(git) commit -q -m one
            """
        let passed = try await run(["--write", "."], script: first)
        #expect(passed.status == 0, "\(passed.errors)")
        let hook = "\(place)/w/.git/hooks/pre-commit"
        #expect(Self.notes(passed).first?.contains("\(hook) may not be executed") == true, "\(passed.errors)")
        let second = "cd w; echo y > f; \(git) commit -q -a -m two"
        let refused = try await run(["--write", ".", "--execute", hook], script: second)
        #expect(refused.status == 1 && refused.errors.contains("refused\n"), "\(refused.errors)")
    }

    /// The broker answers each of these calls, and must give the answer that the policy gives.
    @Test func `watched calls keep their results`() async throws {
        let script = """
            test -x /bin/sh && ! test -x missing && ! test -x hook && test -w . && ! test -x plain
            i=0; while [ $i -lt 3000 ]; do test -x /bin/sh || exit 1; i=$((i + 1)); done
            i=0; while [ $i -lt 100 ]; do /bin/true || exit 1; i=$((i + 1)); done; seq 50 | xargs -P 8 -n 1 echo | wc -l
            """
        let ran = try await run(["--write", "."], script: "set -e\n" + script)
        #expect(ran.status == 0 && ran.output == "50\n", "\(ran.errors)")
    }
}
