import AnnexTestSupport
import Foundation
import Testing

/// `annex run` says what ended with the sandbox: files in the program's own `/tmp`, and processes in the background.
@Suite(.timeLimit(.minutes(20))) struct RunLossTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o777)
    }

    private func run(_ options: [String] = [], script: String) async throws -> Program {
        try await Program.annex(["run"] + options + ["--", "sh", "-c", script], in: folder)
    }

    private static func notes(_ program: Program) -> [String] {
        program.errors.split(separator: "\n").map(String.init).filter { $0.hasPrefix("annex: note: ") }
    }

    @Test(arguments: [
        ("echo x > /tmp/out; exit 0", "/tmp/out is gone"), ("echo x > /tmp/out; exit 3", "/tmp/out is gone"),
        ("mkdir /tmp/made; echo x > /tmp/made/out", "/tmp/made is gone"),
        ("cd; echo x > .gitconfig", "/tmp/.gitconfig is gone"),
        ("mkdir -p ~/.config/pip; echo x > ~/.config/pip/pip.conf", "/tmp/.config/pip/pip.conf is gone"),
        ("cd /tmp; echo x > result.csv", "/tmp/result.csv is gone"),
        ("cd /tmp; for n in a b c d e; do echo x > $n; done", "/tmp/a, /tmp/b, /tmp/c and 2 more files are gone"),
        ("echo x > ~/notes", "/tmp/notes is gone"),
    ])
    func `a written file that is gone is named once`(script: String, text: String) async throws {
        let ran = try await run(script: script)
        #expect(Self.notes(ran).count == 1 && Self.notes(ran)[0].contains(text), "\(ran)")
        #expect(ran.errors.contains("--write"), "\(ran)")
    }

    @Test(arguments: [
        "true", "cd /tmp; f=$(mktemp); echo x > $f", "d=$(mktemp -d); echo x > $d/out", "echo x > /tmp/.hidden.tmp",
        "cd /tmp; echo x > tmp.1", "cd /tmp; echo x > cca1B2c3.s", "cd /tmp; mkdir cache; echo x > cache/out",
        "cd /tmp; ln -s /etc link; ln -s nowhere .gitconfig", "echo x > /tmp/out; rm /tmp/out", "echo x > kept",
    ])
    func `other files in the private directory are no note`(script: String) async throws {
        let ran = try await run(["--write", "."], script: script)
        #expect(ran.status == 0 && Self.notes(ran).filter { $0.contains("gone") }.isEmpty, "\(ran)")
    }

    @Test func `the name of a lost file cannot control the terminal`() async throws {
        let ran = try await run(script: "cd /tmp; echo x > \"$(printf 'a\\033[2Jb')\"")
        #expect(!ran.errors.contains("\u{1b}") && ran.errors.contains("u{1b}"), "\(ran.errors)")
    }

    @Test func `a directory of very many files is no obstacle`() async throws {
        let script = "cd /tmp; i=0; while [ $i -lt 11000 ]; do : > f.$i.x; i=$((i+1)); done"
        let ran = try await run(script: script)
        #expect(ran.status == 0, "\(ran)")
    }

    /// The broker watches the directory from the moment of the launch, and a program can be faster once.
    @Test(arguments: [("ls; true", "note"), ("ls | grep c.c", "hint")])
    func `a program that lists an empty working directory is told why it is empty`(
        script: String, kind: String
    ) async throws {
        try Data().write(to: folder.url.appending(path: "c.c"))
        let line = "annex: \(kind): the program looked at its working directory, which is empty for it"
        var said = ""
        for _ in 0..<20 where !said.contains(line) { said = try await run(script: script).errors }
        #expect(said.contains(line) && said.contains("add --read ."), "\(said)")
        for options in [["--read", "."], ["--read", "c.c"], ["--directory", "/usr", "--read", "/usr"]] {
            let given = try await run(options, script: script)
            #expect(!given.errors.contains("looked at its working directory"), "\(options): \(given)")
        }
        let quiet = try await run(script: "cd /usr; ls")
        #expect(!quiet.errors.contains("working directory"), "\(quiet)")
    }

    @Test func `a working directory that is empty outside too is no note`() async throws {
        #expect(Self.notes(try await run(script: "sleep 0.2; ls")).isEmpty)
    }

    @Test func `processes that the program left running are a note`() async throws {
        let left = try await run(script: "sleep 100 & exit 0")
        #expect(
            Self.notes(left) == [
                "annex: note: processes that the program left running ended with it: "
                    + "let the program wait for them"
            ], "\(left)")
        // The reaper waits a moment for a process that is about to end. On a busy machine, the process may need longer.
        var notes = ["not run"]
        for _ in 0..<20 where !notes.isEmpty {
            notes = Self.notes(try await run(script: "sleep 100 & kill $!; exit 0"))
        }
        #expect(notes.isEmpty, "\(notes)")
        let waited = try await run(script: "true & wait")
        #expect(Self.notes(waited).isEmpty, "\(waited)")
        let orphan = try await run(script: "(true; true) & wait; exit 2")
        #expect(orphan.status == 2 && Self.notes(orphan).isEmpty, "\(orphan)")
    }

    @Test func `processes are no note if a signal asked the program to end`() async throws {
        let annex = ExampleBundles.products.appending(path: "annex").path
        let script = "trap \"exit 0\" TERM; sleep 1000 & echo begun; while :; do wait; done"
        let line =
            "'\(annex)' run -- sh -c '\(script)' > out 2> errors & job=$!; "
            + "until grep -qs begun out || ! kill -0 $job; do :; done; kill -TERM $job; wait $job; echo $?; cat errors"
        let ran = try await Program.run("/bin/sh", ["-c", line], in: folder)
        #expect(ran.output == "0\n", "\(ran)")
    }

    @Test func `a child that reaches the limit of processor time is explained`() async throws {
        let ran = try await run(["--limit", "processor=1s"], script: "(while :; do :; done); exit 0")
        #expect(ran.errors.contains("--limit processor=4s"), "\(ran)")
    }
}
