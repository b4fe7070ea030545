import AnnexTestSupport
import Foundation
import Testing

/// `annex run --ask` on a terminal: the question, the answers, and the project file that keeps them.
@Suite(.timeLimit(.minutes(20))) struct RunAskTests {
    private let folder: TemporaryFolder
    private let home: TemporaryFolder

    init() throws {
        (folder, home) = (try TemporaryFolder(), try TemporaryFolder())
        for place in [folder, home] { chmod(place.url.path, 0o755) }
        try Data("one\n".utf8).write(to: folder.url.appending(path: "data"))
        chmod(folder.url.path + "/data", 0o644)
    }

    private var place: String { folder.url.resolvingSymlinksInPath().path }
    private var file: URL { folder.url.appending(path: ".annex.yaml") }

    /// Runs `annex` on a terminal and gives one answer to each of its questions.
    private func run(_ arguments: [String], answers: [String]) async throws -> Program {
        try #require(access("/usr/bin/python3", X_OK) == 0, "python3 is needed to make a terminal")
        let annex = ExampleBundles.products.appending(path: "annex").path
        return try await Program.run(
            "/usr/bin/python3", ["-c", Self.terminal, answers.joined(separator: ","), annex] + arguments, in: folder,
            environment: ["HOME": home.url.path, "XDG_STATE_HOME": ""])
    }

    private func ask(_ answers: String..., script: String) async throws -> Program {
        try await run(["run", "--ask", "--", "sh", "-c", script, "sh", "data"], answers: answers)
    }

    @Test func `an option that is allowed once is used once`() async throws {
        let allowed = try await ask("1", script: "cat data")
        #expect(allowed.status == 0 && allowed.output.contains("one\r\n"), "\(allowed.output)")
        #expect(allowed.output.contains("  1   --read .\r\n") && allowed.output.contains("read everything there"))
        #expect(!FileManager.default.fileExists(atPath: file.path))
        let refused = try await ask("", script: "cat data")
        #expect(refused.status != 0 && !refused.output.contains("one\r\n"), "\(refused.output)")
    }

    @Test func `a remembered answer holds for the next run, and for that program only`() async throws {
        let allowed = try await ask("1r", script: "cat data")
        #expect(allowed.status == 0, "\(allowed.output)")
        #expect(try String(contentsOf: file, encoding: .utf8).contains("  - program: sh\n    read: [.]\n"))
        let next = try await run(["run", "--", "sh", "-c", "cat data"], answers: [])
        #expect(next.status == 0 && next.output.contains("\(place)/.annex.yaml adds --read .\r\n"), "\(next.output)")
        let other = try await run(["run", "--", "cat", "data"], answers: [])
        #expect(other.status != 0 && !other.output.contains("adds"), "\(other.output)")
    }

    @Test func `DEPUTY-12: a project file that is new, changed or not only the own is not used`() async throws {
        let text = "run: [{ program: sh, read: [.] }]\n"
        try Data(text.utf8).write(to: file)
        chmod(file.path, 0o644)
        let script = ["run", "--", "sh", "-c", "cat data"]
        let new = try await run(script, answers: [])
        #expect(new.status != 0 && new.output.contains("is not used: it is new, or it was changed"), "\(new.output)")
        let refused = try await run(["run", "--ask"] + script.dropFirst(), answers: ["n", ""])
        #expect(refused.status != 0 && refused.output.contains("was not allowed"), "\(refused.output)")
        let allowed = try await run(["run", "--ask"] + script.dropFirst(), answers: ["y"])
        #expect(allowed.status == 0, "\(allowed.output)")
        #expect(try await run(script, answers: []).status == 0)
        for (mode, change) in [(0o646, ""), (0o644, "# changed\n")] as [(mode_t, String)] {
            try Data((text + change).utf8).write(to: file)
            chmod(file.path, mode)
            let changed = try await run(script, answers: [])
            #expect(changed.status != 0 && changed.output.contains("is not used"), "\(changed.output)")
        }
    }

    @Test func `DEPUTY-12: a program that writes a project file gains nothing`() async throws {
        chmod(folder.url.path, 0o777)
        defer { chmod(folder.url.path, 0o755) }
        let text = "run: [{ program: sh, read: [\(home.url.path)] }]"
        let script = "echo '\(text)' > .annex.yaml; chmod 644 .annex.yaml; ls -l .annex.yaml"
        let written = try await run(["run", "--write", ".", "--", "sh", "-c", script], answers: [])
        #expect(written.status == 0, "\(written.output)")
        chmod(folder.url.path, 0o755)
        let next = try await run(["run", "--", "sh", "-c", "ls \(home.url.path)"], answers: [])
        #expect(next.output.contains("is not used") && !next.output.contains("adds"), "\(next.output)")
    }

    @Test(
        .enabled(if: geteuid() != 0, "needs an ordinary user: files of another user never count as allowed"),
        arguments: ["--write", "--write-execute"])
    func `DEPUTY-12: no program changes the list of allowed project files`(option: String) async throws {
        let kept = home.url.path + "/.local/state/annex/run"
        try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: true)
        let script = "echo x > \(home.url.path)/.local/made && ! touch \(kept)/allowed"
        let ran = try await run(["run", option, home.url.path + "/.local", "--", "sh", "-c", script], answers: [])
        #expect(ran.status == 0, "\(ran.output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: kept).isEmpty)
        let itself = try await run(["run", option, kept, "--", "true"], answers: [])
        #expect(itself.status == 126 && itself.output.contains("so no program may change it"), "\(itself.output)")
        // A directory above a mount cannot be moved away.
        let moved = "mv \(home.url.path)/.local/state \(home.url.path)/.local/old && exit 9"
        let still = try await run(["run", option, home.url.path + "/.local", "--", "sh", "-c", moved], answers: [])
        #expect(still.status != 9 && FileManager.default.fileExists(atPath: kept), "\(still.output)")
    }

    @Test func `DEPUTY-12: keys from before the question and a false question are no answer`() async throws {
        let fake = "printf 'annex: which? (any other answer: none)\\r\\n'; sleep 1; cat data"
        // The first answer goes to the false question, so the program gets it. The real question gets the second one.
        let ran = try await ask("1", "", script: fake)
        #expect(ran.status != 0 && !ran.output.contains("one\r\n"), "\(ran.output)")
    }

    @Test func `without a terminal nothing is asked, and that is said`() async throws {
        let ran = try await Program.annex(["run", "--ask", "--", "sh", "-c", "cat data", "sh", "data"], in: folder)
        #expect(ran.status != 0 && ran.errors.contains("so nothing is asked"), "\(ran.errors)")
        #expect(!ran.errors.contains("run it again"), "\(ran.errors)")
    }

    /// Runs a program on a terminal. Each time the terminal shows a question, this script types the next answer.
    private static let terminal = """
        import os, pty, select, sys
        answers, command = sys.argv[1].split(','), sys.argv[2:]
        child, master = pty.fork()
        if child == 0:
            os.execv(command[0], command)
        shown, seen = b'', 0
        while True:
            if not select.select([master], [], [], 120)[0]: break
            try: piece = os.read(master, 65536)
            except OSError: break
            if not piece: break
            shown += piece
            mark = max(shown.rfind(b'(any other answer: none)'), shown.rfind(b'any other answer: no)'))
            if mark > seen and shown.endswith(b'\\n'):
                seen = len(shown)
                select.select([], [], [], 0.3)
                os.write(master, (answers.pop(0) if answers else '').encode() + b'\\n')
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.stdout.buffer.write(shown)
        sys.stdout.flush()
        os._exit(status if 0 <= status < 256 else 255)
        """
}
