import AnnexTestSupport
import Foundation
import Testing

/// After a failure, the last line of `annex run` names the cause and an option. With that option the same program works.
@Suite(.timeLimit(.minutes(20))) struct RunHintTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o777)
        try FileManager.default.copyProgram(
            at: URL(filePath: "/bin/true").resolvingSymlinksInPath(), to: folder.url.appending(path: "made"))
        chmod(folder.url.path + "/made", 0o755)
    }

    private func run(_ options: [String], script: String) async throws -> Program {
        try await Program.annex(["run"] + options + ["--", "sh", "-c", script], in: folder)
    }

    private static let causes: [(given: [String], script: String, hint: String, remedy: [String])] = [
        (["--read", "."], "./made", "use --execute . instead of --read .", ["--execute", "."]),
        (["--write", "."], "./made", "use --write-execute . instead of --write .", ["--write-execute", "."]),
        (["--read", "."], "echo x > new", "add --write .;", ["--write", "."]),
        ([], "mkfifo /tmp/pipe", "--allow sockets", ["--allow", "sockets"]),
        ([], "head -c 300M /dev/zero > /tmp/big", "add --limit scratch=1G", ["--limit", "scratch=1G"]),
        ([], "cat /etc/shells", "add --read /etc/shells;", ["--read", "/etc/shells"]),
    ]

    @Test(arguments: causes.indices) func `the hint names the cause, and its option works`(index: Int) async throws {
        let cause = Self.causes[index]
        let failed = try await run(cause.given, script: cause.script)
        #expect(failed.status != 0)
        let last = failed.errors.split(separator: "\n").last.map(String.init) ?? ""
        #expect(last.hasPrefix("annex: hint: ") && last.contains(cause.hint), "\(failed.errors)")
        let worked = try await run(cause.remedy, script: cause.script)
        #expect(worked.status == 0, "\(worked.errors)")
    }

    @Test func `DEPUTY-11: a printed path is examined, and no planted link is followed`() async throws {
        // A path that the program can use is no cause, whatever the program prints.
        let invented = try await run([], script: "echo 'cat: /usr/bin/env: Permission denied' >&2; exit 1")
        #expect(!invented.errors.contains("hint"), "\(invented.errors)")
        let planted = try await run(
            ["--write", "."], script: "ln -s /etc/shadow link; echo 'cat: link/.: Permission denied' >&2; exit 1")
        #expect(!planted.errors.contains("/etc/shadow was"), "\(planted.errors)")
        let escapes = try await run(
            [], script: "printf 'cat: /srv/\\033[2J\\033]0;x\\007: No such file or directory\\n' >&2; exit 1")
        let own = escapes.errors.split(separator: "\n").filter { $0.hasPrefix("annex:") }
        #expect(own.allSatisfy { !$0.contains("\u{1B}") }, "\(escapes.errors)")
    }

    @Test func `an unknown allowance, line or limit is an error that names the known ones`() async throws {
        for (option, value, text) in [
            ("--allow", "jitt", "did you mean `jit`?"), ("--allow-line", "nosuch", "unknown system call `nosuch`"),
            ("--limit", "memry=1G", "did you mean `memory`?"),
        ] {
            let ran = try await run([option, value], script: "true")
            #expect(ran.status == 126 && ran.errors.contains(text), "\(ran.errors)")
        }
    }
}
