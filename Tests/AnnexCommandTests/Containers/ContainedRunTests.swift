import AnnexPolicyTools
import AnnexTestSupport
import Foundation
import Testing

/// `annex run` in surroundings like those of a container: what is missing is named, and an option does without it.
@Suite(.timeLimit(.minutes(20))) struct ContainedRunTests {
    private static let folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    private static let program = ["sh", "-c", "echo ran"]

    /// Runs `annex` with these words under restrictions.
    /// - Parameter ordinary: whether root, too, runs it as an ordinary user.
    private static func annex(
        _ words: [String], under restrictions: [String], ordinary: Bool = false
    ) async throws -> Program {
        var command = [folder.appending(path: "restricts-itself").path] + restrictions
        command += ["--", folder.appending(path: "annex").path] + words
        if ordinary, geteuid() == 0 {
            command = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] + command
        }
        return try await Program.tool(command)
    }

    /// The options that the hint names.
    private static func named(in errors: String) throws -> [String] {
        let hint = try #require(errors.split(separator: "\n").first { $0.contains("annex: hint: to start without") })
        let words = hint.split(separator: " ").map(String.init)
        let options = zip(words, words.dropFirst()).filter { $0.0 == "--waive" }.flatMap { [$0.0, $0.1] }
        #expect(!options.isEmpty && hint.contains("--best-effort"))
        return options
    }

    /// The message, the options that it names, and `--best-effort`, in this order.
    private static func expectPath(
        _ restrictions: [String], cause: String, ordinary: Bool = false, lacks layers: [String]
    ) async throws {
        let refused = try await annex(["run", "--"] + program, under: restrictions, ordinary: ordinary)
        #expect(refused.status == 126 && refused.output.isEmpty)
        #expect(refused.errors.contains("annex: not started: ") && refused.errors.contains(cause), "\(refused.errors)")
        let options = try named(in: refused.errors)
        for layer in layers {
            #expect(options.contains(layer) && refused.errors.contains("without \(layer): "), "\(refused.errors)")
        }
        let waived = try await annex(["run"] + options + ["--"] + program, under: restrictions, ordinary: ordinary)
        #expect(waived.status == 0 && waived.output == "ran\n" && waived.errors.isEmpty, "\(waived)")
        let best = try await annex(["run", "--best-effort", "--"] + program, under: restrictions, ordinary: ordinary)
        #expect(best.status == 0 && best.output == "ran\n", "\(best)")
        let lines = best.errors.split(separator: "\n")
        #expect(lines.count == 1 && lines[0].hasPrefix("annex: best effort: this machine lacks "), "\(best.errors)")
        for layer in layers { #expect(lines.first?.contains(layer) == true) }
    }

    static let namespaces = ["user", "mount", "pid", "network", "ipc", "uts", "root"]

    @Test func `under the filter of a container the hint names every layer to do without`() async throws {
        try await Self.expectPath(["container-filter"], cause: "clone: EPERM", lacks: Self.namespaces + ["proc"])
    }

    @Test(.enabled(if: ProfileFilter.isThere, "the profile of Docker is not unpacked"))
    func `under the published profile of Docker the hint names every layer to do without`() async throws {
        let folder = try TemporaryFolder()
        let json = [UInt8](try Data(contentsOf: URL(filePath: ProfileFilter.published)))
        let filter = try ProfileFilter.write(json: json, in: folder)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
        try await Self.expectPath(["filter=\(filter)"], cause: "clone: EPERM", lacks: Self.namespaces + ["proc"])
    }

    @Test(.enabled(if: ProfileFilter.isThere, "the profile of Docker is not unpacked"))
    func `under the profile that doctor prints every layer is in force`() async throws {
        let folder = try TemporaryFolder()
        let printed = try await Program.annex(
            "doctor", "--print", "seccomp-profile", "--from", ProfileFilter.published, in: folder)
        #expect(printed.status == 0, "\(printed.errors)")
        let filter = try ProfileFilter.write(json: Array(printed.output.utf8), in: folder)
        let run = try await Self.annex(["run", "--best-effort", "--"] + Self.program, under: ["filter=\(filter)"])
        #expect(run.status == 0 && run.output == "ran\n" && run.errors.isEmpty, "\(run)")
    }

    @Test func `where a part of proc is covered the program runs without proc`() async throws {
        try await Self.expectPath(["masked-proc"], cause: "proc: EPERM", ordinary: true, lacks: ["proc"])
        let look = try await Self.annex(
            ["run", "--waive", "proc", "--", "sh", "-c", "test -e /proc/self || echo none"], under: ["masked-proc"],
            ordinary: true)
        #expect(look.status == 0 && look.output == "none\n", "\(look)")
        let needing = try await Self.annex(
            ["run", "--waive", "proc", "--", "cat", "/proc/self/status"], under: ["masked-proc"], ordinary: true)
        #expect(needing.status == 1 && needing.errors.contains("annex: hint: the sandbox has no /proc"), "\(needing)")
    }

    @Test func `with the proc of an outer process namespace every layer is in force`() async throws {
        let run = try await Self.annex(
            ["run", "--best-effort", "--", "sh", "-c", "echo ran; readlink /proc/self"], under: ["outer-proc"])
        #expect(run.status == 0 && run.output.hasPrefix("ran\n") && run.errors.isEmpty, "\(run)")
    }

    @Test func `a kernel without Landlock is named, and the program runs without it`() async throws {
        try await Self.expectPath(["no-landlock"], cause: "Landlock: ", lacks: ["landlock"])
    }

    @Test func `a listener around annex is named, and the program runs without reports of denied calls`() async throws {
        try await Self.expectPath(["has-listener"], cause: "has a listener", lacks: ["listener"])
        let explained = try await Self.annex(
            ["run", "--best-effort", "--explain", "--"] + Self.program, under: ["has-listener"])
        #expect(explained.status == 126 && explained.errors.contains("without this mode"), "\(explained)")
    }

    @Test(arguments: [false, true])
    func `where descriptors of other processes cannot be taken every layer is in force`(ordinary: Bool) async throws {
        let run = try await Self.annex(
            ["run", "--best-effort", "--"] + Self.program, under: ["no-taking"], ordinary: ordinary)
        #expect(run.status == 0 && run.output == "ran\n" && run.errors.isEmpty, "\(run)")
        let told = try await Self.annex(
            ["run", "--explain", "--", "sh", "-c", "ls /root; mkfifo /tmp/x; echo ran"], under: ["no-taking"],
            ordinary: ordinary)
        #expect(told.output == "ran\n", "\(told)")
        #expect(told.errors.contains("denied by") && told.errors.contains("mknod"), "\(told.errors)")
        let doctor = try await Self.annex(["doctor"], under: ["no-taking"], ordinary: ordinary)
        #expect(doctor.output.contains("pidfd_getfd") && doctor.output.contains("exclusive file locks fail"))
    }

    @Test func `a filter that denies control group namespaces is the cause that is named`() async throws {
        try await Self.expectPath(["no-group-namespaces"], cause: "cgroup: namespace: EPERM", lacks: ["cgroup"])
        let refused = try await Self.annex(["run", "--"] + Self.program, under: ["no-group-namespaces"])
        #expect(!refused.errors.contains("delegated"), "\(refused.errors)")
    }

    @Test func `without control groups to write the program runs with every layer`() async throws {
        let run = try await Self.annex(
            ["run", "--best-effort", "--"] + Self.program, under: ["no-sys"], ordinary: true)
        #expect(run.status == 0 && run.output == "ran\n" && run.errors.isEmpty, "\(run)")
    }

    @Test func `where nothing is missing best effort says nothing and every layer is in force`() async throws {
        let folder = try TemporaryFolder()
        let run = try await Program.annex(
            "run", "--best-effort", "--report", "report.json", "--", "sh", "-c", "echo ran", in: folder)
        #expect(run.status == 0 && run.output == "ran\n" && run.errors.isEmpty, "\(run)")
        struct Report: Decodable {
            let layers: [String]
        }
        let bytes = try Data(contentsOf: folder.url.appending(path: "report.json"))
        #expect(try JSONDecoder().decode(Report.self, from: bytes).layers.count == 17)
    }

    @Test func `where nothing limits files the parts that are open are named`() async throws {
        let folder = try TemporaryFolder()
        let hooks = folder.url.resolvingSymlinksInPath().path + "/.git/hooks"
        try FileManager.default.createDirectory(atPath: hooks, withIntermediateDirectories: true)
        for path in [folder.url.path, folder.url.path + "/.git", hooks] { chmod(path, 0o755) }
        let given = ["--write", folder.url.path, "--"] + Self.program
        let best = try await Self.annex(["run", "--best-effort"] + given, under: ["old-container-filter"])
        #expect(best.status == 0 && best.output == "ran\n", "\(best)")
        #expect(best.errors.contains("nothing limits the system calls of the program; nothing limits the program's"))
        #expect(best.errors.contains("protected ones such as .git/hooks are open to it\n"), "\(best.errors)")
        #expect(
            best.errors.contains("annex: note: without the layers root and landlock, nothing protects \(hooks) from"),
            "\(best.errors)")
        let refused = try await Self.annex(["run"] + given, under: ["old-container-filter"])
        #expect(refused.status == 126 && refused.errors.contains("without all of them: nothing limits the program's"))
        let held = try await Self.annex(["run", "--best-effort"] + given, under: ["container-filter"])
        #expect(held.status == 126 && held.errors.contains("\(hooks) cannot be protected"), "\(held.errors)")
    }

    @Test func `a filter that kills is named before a program is started`() async throws {
        let run = try await Self.annex(["run", "--"] + Self.program, under: ["killed-for-clone3"])
        #expect(run.status == 126 && run.output.isEmpty, "\(run)")
        #expect(run.errors.contains("clone3") && run.errors.contains("kills"), "\(run.errors)")
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, which gives up its capabilities"))
    func `root without capabilities is told so`() async throws {
        let run = try await Self.annex(["run", "--"] + Self.program, under: ["no-capabilities"])
        #expect(run.status == 126 && run.errors.contains("capabilities"), "\(run)")
    }

    @Test(arguments: [[], ["--best-effort"]]) func `a user without a number is told so and no waiver is named`(
        options: [String]
    ) async throws {
        let command = ["unshare", "-U", Self.folder.appending(path: "annex").path, "run"] + options + ["--", "true"]
        let run = try await Program.tool(command)
        #expect(run.status == 126 && run.errors.contains("this user has no number in its user namespace"), "\(run)")
        #expect(!run.errors.contains("hint") && !run.errors.contains("best effort"), "\(run)")
    }

    @Test func `without proc every command says so and exits with 126`() async throws {
        for words in [["--version"], ["run", "--"] + Self.program] {
            let run = try await Self.annex(words, under: ["no-proc"])
            #expect(run.status == 126 && run.output.isEmpty, "\(run)")
            #expect(
                run.errors == "annex: /proc is missing, and Annex needs it for everything: mount it first "
                    + "(mount -t proc proc /proc)\n")
        }
    }

    @Test(arguments: [["--best-effort"], ["--waive", "landlock"]])
    func `the daemon takes no option that does without a layer`(option: [String]) async throws {
        let run = try await Program.run("annexd", option, in: TemporaryFolder())
        #expect(run.status == 64 && run.errors.contains(option[0]), "\(run)")
    }
}
