import AnnexTestSupport
import Foundation
import Testing

/// `annex run --ask` on a terminal: the question, the answers, and the project file that keeps them.
@Suite(.timeLimit(.minutes(20))) struct RunAskTests {
    private let project: AskedProject

    init() throws {
        project = try AskedProject()
    }

    private var folder: TemporaryFolder { project.folder }
    private var home: TemporaryFolder { project.home }
    private var place: String { project.place }
    private var file: URL { project.file }

    private func run(_ arguments: [String], answers: [String]) async throws -> Program {
        try await project.run(arguments, answers: answers)
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

    @Test(arguments: ["--write", "--write-execute"])
    func `DEPUTY-12: no program changes the list of allowed project files`(option: String) async throws {
        let kept = try project.make(".local/state/annex/run", in: home)
        for name in [".local", ".local/state", ".local/state/annex"] { try project.make(name, in: home) }
        let script = "echo x > \(home.url.path)/.local/made && ! touch \(kept)/allowed"
        let ran = try await run(["run", option, home.url.path + "/.local", "--", "sh", "-c", script], answers: [])
        #expect(ran.status == 0, "\(ran.output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: kept).isEmpty)
        let itself = try await run(["run", option, kept, "--", "true"], answers: [])
        #expect(itself.status == 126 && itself.output.contains("so no program may change it"), "\(itself.output)")
        let note = kept + "/note"
        try Data().write(to: URL(filePath: note))
        let one = try await run(["run", option, note, "--", "true"], answers: [])
        #expect(one.status == 126 && one.output.contains("so no program may change it"), "\(one.output)")
        // A directory above a mount cannot be moved away.
        let moved = "mv \(home.url.path)/.local/state \(home.url.path)/.local/old && exit 9"
        let still = try await run(["run", option, home.url.path + "/.local", "--", "sh", "-c", moved], answers: [])
        #expect(still.status != 9 && FileManager.default.fileExists(atPath: kept), "\(still.output)")
    }

    /// A mount keeps the notes in their directory, but cannot keep a link to them.
    @Test(arguments: [true, false])
    func `DEPUTY-12: no program replaces a link that leads to the list of allowed project files`(
        isThere: Bool
    ) async throws {
        let outside = try project.make("outside", in: home)
        try project.make(".local", in: home)
        let link = home.url.path + "/.local/state"
        if !isThere { try FileManager.default.removeItem(atPath: outside) }
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: outside)
        for options in [["--write", home.url.path + "/.local"], ["--write-execute", home.url.path + "/.local"]] {
            let ran = try await run(["run"] + options + ["--", "rm", link], answers: [])
            #expect(ran.status == 126 && ran.output.contains("this link leads there"), "\(ran.output)")
        }
        let other = try await run(["run", "--write", folder.url.path, "--", "true"], answers: [])
        #expect(other.status == 0, "\(other.output)")
    }

    /// A link that leads to nothing yet. The program could make the directory to which the link leads.
    @Test(arguments: [false, true])
    func `DEPUTY-12: no program makes the list where a link of the user leads`(isChain: Bool) async throws {
        try project.make(".local", in: home)
        let work = try project.make("work", in: home)
        try FileManager.default.createSymbolicLink(
            atPath: home.url.path + "/.local/state", withDestinationPath: "../work/state")
        if isChain {
            try FileManager.default.createSymbolicLink(atPath: work + "/state", withDestinationPath: "elsewhere")
        }
        let script =
            "cd \(work); rm -f state; mkdir -p state/annex/run; touch state/annex/run/note elsewhere/annex/run/note"
        let ran = try await run(["run", "--write", work, "--", "sh", "-c", script], answers: [])
        if isChain {
            #expect(ran.status == 126 && ran.output.contains("this link leads there"), "\(ran.output)")
        } else {
            #expect(try FileManager.default.contentsOfDirectory(atPath: work + "/state/annex/run").isEmpty, "\(ran)")
        }
        #expect(access(work + "/state/annex/run/note", F_OK) != 0, "\(ran.output)")
    }

    @Test func `DEPUTY-12: no policy and no private directory gives the list of allowed project files`() async throws {
        let kept = try project.make(".local/state/annex/run", in: home)
        for name in [".local", ".local/state", ".local/state/annex"] { try project.make(name, in: home) }
        let policy = """
            policy: wide
            summary: A test.
            includes: [tool]
            paths:
              private: { persistent: { size: 1M, inodes: 100 } }
              grants: [{ reason: A test, rights: [read, write], paths: ['\(home.url.path)/.local'] }]

            """
        try Data(policy.utf8).write(to: folder.url.appending(path: "wide.yaml"))
        let own = try project.make("own")
        let options = ["run", "--policy", "./wide.yaml", "--private-directory"]
        let granted = try await run(
            options + [own, "--", "sh", "-c", "echo x > \(home.url.path)/.local/made && ! touch \(kept)/allowed"],
            answers: [])
        #expect(granted.status == 0, "\(granted.output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: kept).isEmpty)
        let around = try await run(options + [home.url.path + "/.local/state", "--", "true"], answers: [])
        #expect(around.status == 126 && around.output.contains("so no program may change it"), "\(around.output)")
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
}
