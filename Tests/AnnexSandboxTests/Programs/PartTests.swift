import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch
@testable import AnnexSandbox

/// Hidden and protected parts of a directory that is handed over.
@Suite(.timeLimit(.minutes(20))) struct PartTests {
    private let home: TemporaryFolder
    private let sandbox: Sandbox

    private var folder: String { home.url.path }

    init() throws {
        home = try TemporaryFolder()
        sandbox = Sandbox(policy: try .shipped(named: "tool"))
        try make("a/b/.env", "canary\n")
        try make("a/b/open", "open\n")
        try make("a/secrets/key", "hidden\n")
        chmod(folder, 0o777)
    }

    private func make(_ path: String, _ text: String) throws {
        let place = URL(filePath: folder + "/" + path)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: place)
        chmod(place.path, 0o666)
        var directory = place.deletingLastPathComponent()
        while directory.path.count >= folder.count {
            chmod(directory.path, 0o777)
            directory = directory.deletingLastPathComponent()
        }
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOfFile: folder + "/" + path, encoding: .utf8)
    }

    private func program(_ script: String) -> SandboxProgram {
        var program = SandboxProgram("/bin/sh", arguments: ["-c", "cd \(folder); \(script)"])
        program.write(folder)
        return program
    }

    private func output(_ program: SandboxProgram) async throws -> String {
        let result = try await sandbox.run(program)
        return String(decoding: result.output + result.errors, as: UTF8.self)
    }

    private func refusal(_ program: SandboxProgram) async -> SandboxError? {
        do {
            _ = try await sandbox.run(program)
            return nil
        } catch {
            return error
        }
    }

    private func status(_ path: String) throws -> stat {
        var found = stat()
        try #require(lstat(folder + "/" + path, &found) == 0)
        return found
    }

    // MARK: - Attacks

    /// renameat2(2) with `RENAME_EXCHANGE`.
    private static func exchange(_ one: String, _ other: String) -> String {
        "perl -e 'syscall(316, -100, \"\(one)\", -100, \"\(other)\", 2)'"
    }

    /// The ways to reach the file FILE, in the directories a/b, or to put another one in its place.
    private static let attempts = [
        "cat FILE", "mv a z; cat z/b/*; mv x a", "mv a/b a/z; cat a/z/.env; mv x/b a/b",
        "mv FILE a/b/z; cat a/b/z; mv x/b/.env FILE", "mv -f x/b/.env FILE", "cp x/b/.env FILE",
        exchange("a", "x"), exchange("a/b", "x/b"), exchange("FILE", "x/b/.env"),
        "rm -rf FILE; rmdir a/b a; mkdir -p a/b; echo after > FILE", "unlink FILE; cp x/b/.env FILE",
        "ln FILE linked; cat linked; echo after > linked", "ln -f x/b/.env FILE", "ln -sf ../../x/b/.env FILE",
        ": > FILE", "truncate -s 0 FILE", "perl -e 'truncate(\"FILE\", 0)'", "echo after >> FILE",
        "echo after 1<> FILE",
        "chmod 777 FILE; cat FILE; echo after > FILE", "touch -d 2001-01-01 FILE",
        "perl -e 'syscall(188, \"FILE\", \"user.annex\", \"x\", 1, 0)'",
        "cd a/b; cat .env /proc/self/cwd/.env /proc/self/root\(placeholder)/FILE; mv ../b ../z; echo after > .env",
        "exec 3<FILE; cat <&3; cat /proc/self/fd/3",
        "perl -e 'syscall(165, \"x/b/.env\", \"FILE\", 0, 4096, 0); syscall(166, \"FILE\", 2)'; cat FILE",
        // A file without a name (O_TMPFILE), which linkat(2) gives the name of the part.
        """
        perl -e '$d = syscall(257, -100, "a/b", 0x410002, 0600); syscall(1, $d, "after\\n", 6); \
        syscall(265, -100, "/proc/self/fd/$d", -100, "FILE", 0x400)'
        """,
        "ln -s a/b/.env link; cat link; echo after > link", "ln -s \(placeholder)/FILE link; cat link",
        "tar cf - a | tar xOf - ; cp -al a copied; cat copied/b/.env",
    ]
    private static let placeholder = "FOLDER"

    private func script(_ attempt: String) -> String {
        let attempt = attempt.replacing("FILE", with: "a/b/.env").replacing(Self.placeholder, with: folder)
        return "mkdir -p x/b; echo after > x/b/.env; \(attempt); cat a/b/.env"
    }

    @Test(arguments: attempts, [".env", "a/b/.env", "**/b/.env", ".e*"])
    func `FS-43: a hidden file is neither read nor changed, whatever the program tries`(
        attempt: String, pattern: String
    ) async throws {
        let before = try status("a/b/.env")
        var program = program(script(attempt))
        program.hide(pattern)
        let said = try await output(program)
        #expect(!said.contains("canary"), "\(said)")
        let after = try status("a/b/.env")
        #expect(before.st_ino == after.st_ino && before.st_mode == after.st_mode)
        // The kernel notes each change of the file, its attributes and its names.
        #expect(before.st_ctim.tv_sec == after.st_ctim.tv_sec && before.st_ctim.tv_nsec == after.st_ctim.tv_nsec)
        #expect(try text("a/b/.env") == "canary\n")
    }

    @Test(arguments: attempts)
    func `FS-44: a protected file is read and not changed, whatever the program tries`(attempt: String) async throws {
        let before = try status("a/b/.env")
        var program = program("cat a/b/.env; " + script(attempt))
        program.protect(".env")
        let said = try await output(program)
        #expect(said.hasPrefix("canary\n"), "\(said)")
        let after = try status("a/b/.env")
        #expect(before.st_ino == after.st_ino && before.st_mode == after.st_mode)
        // The kernel notes each change of the file, its attributes and its names.
        #expect(before.st_ctim.tv_sec == after.st_ctim.tv_sec && before.st_ctim.tv_nsec == after.st_ctim.tv_nsec)
        #expect(try text("a/b/.env") == "canary\n")
    }

    @Test func `FS-43: a hidden directory shows nothing, and opening it fails with EACCES`() async throws {
        var program = program(
            "ls a/secrets; cat a/secrets/key; mv a/secrets x; rmdir a/secrets; chmod 777 a/secrets; mkdir a/secrets/y; ls a"
        )
        program.hide("secrets/")
        let said = try await output(program)
        #expect(
            !said.contains("hidden\n") && said.contains("Permission denied") && said.contains("b\nsecrets\n"),
            "\(said)")
        #expect(try text("a/secrets/key") == "hidden\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/a/secrets") == ["key"])
    }

    @Test(.enabled(if: access("/usr/bin/python3", X_OK) == 0, "python3 is not installed"))
    func `FS-44: memory that is mapped from a protected file cannot be written`() async throws {
        var program = program(
            "/usr/bin/python3 -c 'import mmap; f = open(\"a/b/.env\", \"rb\"); mmap.mmap(f.fileno(), 0, prot=mmap.PROT_WRITE)'; echo $?"
        )
        program.protect("a/b/")
        let said = try await output(program)
        #expect(said.contains("PermissionError") && said.contains("1\n"), "\(said)")
        #expect(try text("a/b/.env") == "canary\n")
    }

    @Test func `FS-43: in a place for reading, files are hidden too`() async throws {
        var program = SandboxProgram("/bin/sh", arguments: ["-c", "cat \(folder)/a/b/.env \(folder)/a/b/open"])
        program.read(folder)
        program.hide(".env")
        let said = try await output(program)
        #expect(said.contains("Permission denied") && said.contains("open\n") && !said.contains("canary"), "\(said)")
    }

    // MARK: - Other ways to the same file

    @Test func `FS-43: a hidden file with a second name is refused, unless that name is hidden too`() async throws {
        try FileManager.default.linkItem(atPath: folder + "/a/b/.env", toPath: folder + "/second")
        var program = program("true")
        program.hide(".env")
        let error = await refusal(program)
        #expect(
            error?.cause.contains("\(folder)/second, by which the program could read it") == true,
            "\(String(describing: error))")
        #expect(error?.remedy?.contains("copy the file") == true)
        program.hide("second")
        #expect(await refusal(program) == nil)
    }

    @Test func `FS-44: a protected file with a second name where the program may write is refused`() async throws {
        try FileManager.default.linkItem(atPath: folder + "/a/b/.env", toPath: folder + "/second")
        var program = program("true")
        program.protect("a/b/")
        let error = await refusal(program)
        #expect(error?.cause.contains("could change it") == true, "\(String(describing: error))")
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, who alone mounts"), arguments: ["a/b/.env", "a/b", "a"])
    func `FS-43: a hidden file that is mounted at a second path is refused`(source: String) async throws {
        let other = folder + "/other"
        if source.hasSuffix("env") {
            try Data().write(to: URL(filePath: other))
        } else {
            try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        }
        try #require(mount(folder + "/" + source, other, nil, UInt(MS_BIND), nil) == 0)
        defer { umount2(other, Int32(MNT_DETACH)) }
        var program = program("true")
        program.hide("a/b/.env")
        let error = await refusal(program)
        #expect(error?.cause.contains("is also mounted at \(other)") == true, "\(String(describing: error))")
    }

    @Test func `a link to a hidden file leads nowhere, and the target of a hidden link is hidden`() async throws {
        try make("real", "canary\n")
        try FileManager.default.createSymbolicLink(atPath: folder + "/link.pem", withDestinationPath: "real")
        var program = program("cat link.pem real; rm link.pem; cat real")
        program.hide("*.pem")
        let said = try await output(program)
        #expect(!said.contains("canary") && said.contains("Permission denied"), "\(said)")
    }

    @Test func `FS-44: a named pipe is not protected`() async throws {
        try #require(mkfifo(folder + "/a/pipe", 0o666) == 0)
        var program = program("true")
        program.protect("a/pipe")
        #expect(await refusal(program)?.cause.contains("is a named pipe") == true)
    }

    @Test func `FS-43: a link out of the folder shows nothing, and a target that is handed over is hidden`()
        async throws
    {
        let outside = try TemporaryFolder()
        chmod(outside.url.path, 0o755)
        let target = outside.url.resolvingSymlinksInPath().path + "/key"
        try Data("canary\n".utf8).write(to: URL(filePath: target))
        chmod(target, 0o644)
        try FileManager.default.createSymbolicLink(atPath: folder + "/link.pem", withDestinationPath: target)
        var program = program("cat link.pem \(target)")
        program.hide("*.pem")
        #expect(try await !output(program).contains("canary"))
        program.read(outside.url.path)
        let said = try await output(program)
        #expect(!said.contains("canary") && said.contains("Permission denied"), "\(said)")
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, who alone mounts"))
    func `FS-43: a mount that appears while the run lasts does not show a hidden file`() async throws {
        try make("late/.env", "early\n")
        var program = program("touch begun; until test -e go; do sleep 0.01; done; cat late/.env a/b/.env")
        program.hide("a/b/.env")
        async let said = output(program)
        await eventually { access(folder + "/begun", F_OK) == 0 }
        try #require(mount(folder + "/a/b", folder + "/late", nil, UInt(MS_BIND), nil) == 0)
        defer { umount2(folder + "/late", Int32(MNT_DETACH)) }
        try Data().write(to: URL(filePath: folder + "/go"))
        #expect(try await said.hasPrefix("early\n"))
        #expect(try await !said.contains("canary"))
    }

    // MARK: - The program itself

    @Test(arguments: ["a/tool", "tool", "a/"]) func `a program that is hidden is not started, and the error says so`(
        pattern: String
    ) async throws {
        try FileManager.default.copyItem(atPath: "/bin/true", toPath: folder + "/a/tool")
        var program = SandboxProgram(folder + "/a/tool")
        program.execute(folder)
        #expect(await refusal(program) == nil)
        program.hide(pattern)
        let error = await refusal(program)
        #expect(error?.cause.contains("the program \(folder)/a/tool is hidden") == true, "\(String(describing: error))")
        #expect(error?.cause.contains("with \(folder)/a,") == (pattern == "a/"))
        #expect(error?.remedy?.contains("--hide") == true)
    }

    // MARK: - Patterns

    @Test func `a pattern that two hundred thousand files match is refused, and one that none matches is noted`()
        async throws
    {
        // A file has at most 65,000 names on some file systems.
        for file in 0..<8 {
            let first = folder + "/a/\(file)-0.pem"
            try Data().write(to: URL(filePath: first))
            for name in 1..<25_000 { try #require(link(first, folder + "/a/\(file)-\(name).pem") == 0) }
        }
        let notes = Notes()
        var program = program("true")
        program.partNote = { notes.add($0) }
        program.protect("*.key")
        #expect(await refusal(program) == nil)
        #expect(notes.all == ["--protect *.key matches nothing now"])
        program.hide("*.pem")
        let error = await refusal(program)
        #expect(error?.cause.contains("more than 512 files and directories match") == true)
        #expect(error?.remedy?.contains("name the directory that holds them") == true)
    }

    @Test func `a pattern that matches nothing is noted, and what contradicts is refused`() async throws {
        let notes = Notes()
        var program = program("true")
        program.partNote = { notes.add($0) }
        program.hide("*.pem")
        program.protect("config/x")
        program.hide("/etc/no-such-place")
        #expect(await refusal(program) == nil)
        #expect(
            notes.all.sorted() == [
                "--hide *.pem matches nothing now", "--hide /etc/no-such-place matches nothing now",
                "--protect config/x matches nothing now",
            ])
        program.read(folder + "/a/secrets")
        program.hide("secrets/")
        #expect(await refusal(program)?.cause.contains("is handed over or granted, and the pattern `secrets/`") == true)
    }

    private final class Notes: @unchecked Sendable {
        private let lock = NSLock()
        private var lines: [String] = []
        var all: [String] { lock.withLock { lines } }
        func add(_ line: String) { lock.withLock { lines.append(line) } }
    }

    @Test func `more matches than a launch can take are refused with a remedy`() async throws {
        for number in 0..<600 { try Data().write(to: URL(filePath: folder + "/a/\(number).pem")) }
        var program = program("true")
        program.hide("*.pem")
        let error = await refusal(program)
        #expect(error?.cause.contains("more than 512 files") == true && error?.remedy != nil)
    }

    @Test func `without a root of its own, a launch that hides something is refused`() throws {
        let pattern = try PathPattern(".env", home: nil)
        let grant = PathGrant(path: folder, rights: [.read], isOptional: false, reason: "x", place: nil)
        let policy = try Policy.shipped(named: "tool").granting([grant])
            .dividing([PathPart(.hide, matching: pattern, reason: "x", place: nil)])
        for layers in [SandboxLayers.landlock, .user] {
            let error = #expect(throws: SandboxError.self) { _ = try GrantLayout(policy, layers: layers) }
            #expect(error?.cause.contains("without the layer root") == true)
        }
    }

    // MARK: - What is protected anyway

    private static let shipped = [
        ".git/hooks/pre-commit", ".git/config", ".annex.yaml", ".bashrc", ".envrc", ".vscode/tasks.json",
        ".mcp.json", ".claude/settings.json", "sub/.git/config", ".git/modules/m/hooks/x",
        ".git/worktrees/w/config.worktree",
    ]

    @Test func `hooks, start files and settings in a place for writing are protected`() async throws {
        for path in Self.shipped { try make(path, "before\n") }
        let paths = Self.shipped.joined(separator: " ")
        let script = "for f in \(paths); do cat $f; echo after > $f; rm $f; done; mv .git z; mv sub z; mkdir .git/new"
        let result = try await sandbox.run(program(script))
        #expect(
            String(decoding: result.output, as: UTF8.self) == String(repeating: "before\n", count: Self.shipped.count))
        for path in Self.shipped { #expect(try text(path) == "before\n") }
        #expect(Set(result.report.protectedParts.compactMap(\.group)) == ["git", "annex", "shell", "editor", "agent"])
        #expect(FileManager.default.fileExists(atPath: folder + "/.git/new"))
    }

    @Test func `a group that is given up is not protected, and all groups can be given up`() async throws {
        for path in Self.shipped { try make(path, "before\n") }
        var one = program("echo after > .git/config; echo after > .bashrc")
        one.unprotect("git")
        _ = try await sandbox.run(one)
        #expect(try text(".git/config") == "after\n" && text(".bashrc") == "before\n")
        var all = program("echo after > .bashrc")
        all.unprotect("all")
        let report = try await sandbox.run(all).report
        #expect(try text(".bashrc") == "after\n" && report.protectedParts.isEmpty)
        all.unprotect("nothing")
        #expect(await refusal(all)?.cause.contains("there is no protection `nothing`: git, ") == true)
    }

    @Test func `what the caller names for writing is not protected`() async throws {
        try make(".git/config", "before\n")
        var program = program("echo after > .git/config")
        program.write(folder + "/.git/config")
        _ = try await sandbox.run(program)
        #expect(try text(".git/config") == "after\n")
    }

    @Test func `a protected file that the run makes is reported`() async throws {
        let report = try await sandbox.run(program("echo x > .annex.yaml; mkdir .git; echo x > .git/commondir")).report
        #expect(
            report.madeParts.map(\.path.description).sorted() == [folder + "/.annex.yaml", folder + "/.git/commondir"])
    }

    @Test func `a repository that the run makes in a directory is reported`() async throws {
        try make("old/.git/config", "before\n")
        let script = "mkdir -p new/.git/hooks old/.git/hooks; echo x > new/.git/config; echo x > old/.git/config"
        let report = try await sandbox.run(program(script)).report
        #expect(
            report.madeParts.map(\.path.description).sorted()
                == ["new/.git/config", "new/.git/hooks", "old/.git/hooks"].map { folder + "/" + $0 })
        #expect(try text("old/.git/config") == "before\n")
    }

    @Test(arguments: [".git/hooks", ".git", ".git/config", ".bashrc"])
    func `a link in place of what is protected is refused with a way out`(link: String) async throws {
        try make("real/hooks/x", "before\n")
        try FileManager.default.createDirectory(
            at: URL(filePath: folder + "/" + link).deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: folder + "/" + link, withDestinationPath: folder + "/real")
        var program = program("true")
        let error = await refusal(program)
        #expect(
            error?.cause.contains("\(link) is a link, and the program could replace it") == true,
            "\(String(describing: error))")
        #expect(error?.remedy?.contains("--unprotect") == true)
        program.unprotect("all")
        #expect(await refusal(program) == nil)
    }

    @Test func `the file of a worktree and a repository without a working tree are protected`() async throws {
        try make("tree/.git", "gitdir: ../main\n")
        for name in ["HEAD", "objects/x", "refs/x", "hooks/x", "config"] { try make("main/" + name, "before\n") }
        var program = SandboxProgram(
            "/bin/sh",
            arguments: ["-c", "cd \(folder); echo x > tree/.git; echo x > main/config; echo x > main/hooks/x"])
        program.write(folder + "/tree")
        program.write(folder + "/main")
        _ = try await sandbox.run(program)
        #expect(try text("tree/.git") == "gitdir: ../main\n")
        #expect(try text("main/config") == "before\n" && text("main/hooks/x") == "before\n")
    }

    @Test(.enabled(if: Program.isThere(tool: "git"), "git is not installed"))
    func `git works where its hooks and its configuration are protected`() async throws {
        let git = "git -c user.name=A -c user.email=a@example.org -c safe.directory=*"
        let made = try await Program.tool([
            "/bin/sh", "-c", "cd \(folder) && git init -q . && git config a.b before && chmod -R a+rwX .",
        ])
        try #require(made.status == 0, "\(made.errors)")
        let work = """
            set -e; \(git) add .; \(git) commit -qm one; \(git) checkout -qb other; echo more > a/b/open; \(git) commit -qam two; \
            \(git) checkout -q -; \(git) merge -q other; \(git) stash -q 2>&1; \(git) gc -q; \(git) log --format=%s
            """
        let result = try await sandbox.run(program(work))
        #expect(result.report.exitCode == 0, "\(String(decoding: result.output + result.errors, as: UTF8.self))")
        #expect(String(decoding: result.output, as: UTF8.self).hasSuffix("two\none\n"))
        let refused = try await sandbox.run(program("\(git) config a.b after"))
        #expect(refused.report.exitCode != 0)
        #expect(try text(".git/config").contains("before") && !text(".git/config").contains("after"))
    }

    // MARK: - Everything but credentials

    @Test func `the whole machine without its credentials can be handed over for reading`() async throws {
        var program = SandboxProgram("/bin/sh", arguments: ["-c", "ls /var; cat /etc/shadow; ls /proc/1"])
        program.readAllButCredentials("/")
        let said = try await output(program)
        for name in try FileManager.default.contentsOfDirectory(atPath: "/var") {
            #expect(said.contains(name + "\n"), "\(name): \(said)")
        }
        #expect(said.contains("Permission denied") && !said.contains("root:"), "\(said)")
    }
}
