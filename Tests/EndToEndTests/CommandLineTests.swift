import AnnexTestSupport
import Foundation
import Testing

/// Unusual command lines, and the errors for invalid ones.
@Suite(.timeLimit(.minutes(20))) struct CommandLineTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func annex(_ arguments: String...) async throws -> Program {
        try await Program.annex(arguments, in: folder)
    }

    /// Runs a line in a shell, for arguments that are not valid text. `$annex` is the program.
    private func shell(_ line: String) async throws -> Program {
        let annex = ExampleBundles.products.appending(path: "annex").path
        return try await Program.run("/bin/sh", ["-c", "annex=\(annex); " + line], in: folder)
    }

    @Test func `arguments and values keep their bytes`() async throws {
        let ran = try await shell(
            #"""
            bytes=$(printf 'a\377b'); "$annex" run -- printf %s "$bytes" | od -An -tx1; \
            export bytes; "$annex" run --env bytes -- sh -c 'printf %s "$bytes"' | od -An -tx1
            """#)
        #expect(ran.output == " 61 ff 62\n 61 ff 62\n", "\(ran)")
    }

    @Test(arguments: ["--read \"$bytes\" -- true", "--env \"A=$bytes\" -- true", "-- \"$bytes\""])
    func `a path, variable or program name that is not UTF-8 is refused`(words: String) async throws {
        let ran = try await shell(#"bytes=$(printf '/tmp/\377'); "$annex" run "# + words)
        #expect(ran.status == 126 && ran.errors.contains(#"\x{ff} is not UTF-8"#), "\(ran)")
    }

    @Test func `help is an option only before the program`() async throws {
        for words in [["--help"], ["--explain", "--help"], ["-h"]] {
            let help = try await Program.annex(["run"] + words, in: folder)
            #expect(help.status == 0 && help.output.contains("EXIT STATUS"), "\(help)")
        }
        #expect(try await annex("run", "--", "sh", "-c", "echo $0", "--help").output == "--help\n")
        for words in [["--help"], ["--i-trust-this-program", "--help"], ["-h"]] {
            let help = try await Program.annex(["policy", "learn"] + words, in: folder)
            #expect(help.status == 0 && help.output.contains("EXIT STATUS"), "\(help)")
        }
        #expect(try await annex("policy", "learn", "--i-trust-this-program", "--no-such-option", "true").status == 64)
        let help = try await annex("run", "--help").output
        #expect(help.contains("USAGE: annex run ") && help.contains("path of its file"), "\(help)")
    }

    @Test func `escape sequences in a word never reach the terminal`() async throws {
        let escape = "\u{1B}[31m"
        for arguments in [
            ["--", escape], ["--read", "/" + escape, "--", "true"], ["--policy", escape, "--", "true"],
        ] {
            let ran = try await Program.annex(["run"] + arguments, in: folder)
            #expect(ran.status != 0 && !ran.errors.contains("\u{1B}") && ran.errors.contains("[31m"), "\(ran)")
        }
    }

    @Test func `a private directory that the policy does not keep is an error`() async throws {
        let ran = try await annex("run", "--private-directory", ".", "--", "true")
        #expect(ran.status == 126 && ran.errors.contains("--private-directory"), "\(ran)")
    }

    @Test(arguments: [
        (["--memory", "64k"], "write a whole number above 0, with K, M, G or T if wanted"),
        (["--memory", "1.5G"], "write a whole number above 0"), (["--memory", "64MB"], "write a whole number above 0"),
        (["--memory", "-1"], "write a whole number above 0"), (["--timeout", "-1"], "must be more than 0"),
        (["--launch-limit", "-1"], "must be more than 0"), (["--limit", "x=1"], "unknown limit `x`"),
        (["--limit", "memory=abc"], "write a whole number above 0"), (["--limit", "file"], "write NAME=VALUE"),
    ])
    func `a wrong number on the command line is refused with its form`(words: [String], text: String) async throws {
        let ran = try await Program.annex(["run"] + words + ["--", "true"], in: folder)
        #expect(ran.status == 64 && ran.errors.contains(text), "\(ran)")
        #expect(words[0] == "--limit" || ran.errors.contains("See 'annex run --help'"), "\(ran.errors)")
    }

    @Test func `sizes have the same units everywhere`() async throws {
        #expect(try await annex("run", "--memory", "1T", "--limit", "file=1T", "--", "true").status == 0)
    }

    @Test func `a misspelt command is answered with the nearest one`() async throws {
        let near = try await annex("instal", "Shout.app")
        #expect(near.status == 64 && near.errors.contains("did you mean install?"), "\(near)")
        #expect(try await annex("frobnicate").status == 64)
    }

    @Test func `too many paths are named with their limit`() async throws {
        let paths = try (0..<70).flatMap { index in
            let path = folder.url.appending(path: "\(index)")
            try Data().write(to: path)
            return ["--read", path.path]
        }
        let places = try await Program.annex(["run"] + paths + ["--", "true"], in: folder)
        #expect(places.status == 126 && places.errors.contains("hand over a directory"), "\(places)")
    }

    @Test func `attacks that cannot be tried are an error`() async throws {
        #expect(try await annex("attack", "--only", "").status == 64)
        #if arch(x86_64)
            let other = "aarch64"
        #else
            let other = "x86_64"
        #endif
        let foreign = try await annex("attack", "--arch", other)
        #expect(foreign.status == 2 && foreign.errors.contains("cannot be tried on this machine"), "\(foreign)")
    }

    @Test func `an imported profile can be written as JSON`() async throws {
        let profile = folder.url.appending(path: "profile.json")
        let text = """
            {"defaultAction": "SCMP_ACT_ERRNO", "syscalls": [
                {"names": ["exit_group", "execveat", "write", "read", "exit", "restart_syscall", "rt_sigreturn"], "action": "SCMP_ACT_ALLOW"}]}
            """
        try Data(text.utf8).write(to: profile)
        let plain = try await annex("policy", "import", profile.path)
        let written = try await annex("policy", "import", profile.path, "--json")
        let object = try JSONSerialization.jsonObject(with: Data(written.output.utf8)) as? [String: Any]
        #expect(object?["policy"] as? String == plain.output && !plain.output.isEmpty, "\(plain) \(written)")
    }

    @Test func `a policy may begin with a byte order mark`() async throws {
        try Data("\u{FEFF}policy: marked\nsummary: As compute.\nincludes: [compute]\n".utf8)
            .write(to: folder.url.appending(path: "marked.yaml"))
        let plain = Data("policy: plain\nsummary: As compute.\nincludes: [compute]\n".utf8)
        try plain.write(to: folder.url.appending(path: "plain.yaml"))
        let marked = try await annex("policy", "lint", "marked.yaml")
        #expect(try await annex("policy", "lint", "plain.yaml").status == marked.status)
        #expect(!marked.output.contains("expected"), "\(marked)")
    }
}
