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

    /// A file of the machine that lies below `/tmp`, where the sandbox has a directory of its own.
    @Test func `a file of the caller below the scratch directory is named`() async throws {
        let place = "/tmp/annex-hint-\(UUID().uuidString)"
        try Data("x\n".utf8).write(to: URL(filePath: place))
        defer { unlink(place) }
        chmod(place, 0o644)
        let failed = try await run([], script: "cat \(place)")
        #expect(failed.errors.contains("\(place) was not handed over: add --read \(place);"), "\(failed.errors)")
        let worked = try await run(["--read", place], script: "cat \(place)")
        #expect(worked.status == 0 && worked.output == "x\n", "\(worked.errors)")
    }

    @Test func `an error without a reason is examined too, through links`() async throws {
        let outside = try TemporaryFolder()
        chmod(outside.url.path, 0o755)
        try Data("x\n".utf8).write(to: outside.url.appending(path: "data"))
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "link"), withDestinationURL: outside.url.appending(path: "data"))
        let real = outside.url.resolvingSymlinksInPath().path + "/data"
        let script = "cat link 2>/dev/null || { echo 'tool: \"link.\" can not be opened for reading.' >&2; exit 1; }"
        let named = script.replacing("link.", with: folder.url.path + "/link")
        let failed = try await run(["--read", "."], script: named)
        #expect(failed.errors.contains("was not handed over: add --read "), "\(failed.errors)")
        let explained = try await run(["--read", ".", "--explain"], script: "cat link")
        #expect(explained.errors.contains("allowed by: --read \(real)"), "\(explained.errors)")
        let worked = try await run(["--read", ".", "--read", real], script: "cat link")
        #expect(worked.status == 0, "\(worked.errors)")
    }

    @Test func `a path of the home directory outside the working directory brings HOME along`() async throws {
        let home = folder.url.resolvingSymlinksInPath().path
        try Data("[user]\n".utf8).write(to: folder.url.appending(path: ".toolrc"))
        try FileManager.default.createDirectory(atPath: home + "/project", withIntermediateDirectories: false)
        chmod(home + "/project", 0o755)
        for (options, expected) in [
            (["--read", ".toolrc"], home), (["--read", "made", "--directory", "."], "/tmp"),
            (["--read", "made", "--read", "project", "--directory", "project"], home),
            (["--read", "project", "--directory", "project"], "/tmp"),
        ] {
            let ran = try await Program.run(
                "annex", ["run"] + options + ["--", "sh", "-c", "echo $HOME"], in: folder, environment: ["HOME": home])
            #expect(ran.output == expected + "\n", "\(ran.errors)")
        }
        let own = try await Program.run(
            "annex", ["run", "--read", ".toolrc", "--env", "HOME=/nowhere", "--", "sh", "-c", "echo $HOME"], in: folder,
            environment: ["HOME": home])
        #expect(own.output == "/nowhere\n", "\(own.errors)")
    }

    /// Agents end if they cannot forbid core files. The limit keeps the value that keeps core files from the host.
    @Test func `a program may forbid core files, and the limit stays`() async throws {
        let ran = try await run([], script: "ulimit -c 0 && ulimit -c && exec 3</proc/self/limits && grep core <&3")
        #expect(ran.status == 0 && ran.output.contains(" 1 "), "\(ran.output) \(ran.errors)")
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
