import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch
@testable import AnnexSandbox

/// A place with fewer rights inside a place with more rights, such as `.git/hooks` for reading in `.` for writing.
@Suite(.timeLimit(.minutes(20))) struct NarrowerPlaceTests {
    private let home: TemporaryFolder
    /// The folder of the test's policy. No sandbox may write there.
    private let policies: TemporaryFolder
    private let sandbox: Sandbox

    private var folder: String { home.url.path }
    private var hooks: String { folder + "/a/b/hooks" }

    init() throws {
        home = try TemporaryFolder()
        policies = try TemporaryFolder()
        chmod(policies.url.path, 0o755)
        sandbox = Sandbox(policy: try .shipped(named: "tool"))
        try FileManager.default.createDirectory(atPath: hooks, withIntermediateDirectories: true)
        for place in ["", "/a", "/a/b", "/a/b/hooks"] { chmod(folder + place, 0o777) }
        try Data("before\n".utf8).write(to: URL(filePath: hooks + "/hook"))
        chmod(hooks + "/hook", 0o777)
    }

    /// The ways to hand over the narrower place.
    enum Way: CaseIterable, Sendable {
        case directory, file, code, policy
    }

    private func run(_ script: String, _ way: Way, in sandbox: Sandbox? = nil) async throws -> SandboxRunResult {
        var sandbox = sandbox ?? self.sandbox
        var program = SandboxProgram("/bin/sh", arguments: ["-c", "cd \(folder); \(script)"])
        if way != .policy { program.write(folder) }
        switch way {
        case .directory: program.read(hooks)
        case .file: program.read(hooks + "/hook")
        case .code: program.execute(hooks)
        case .policy: sandbox = Sandbox(policy: try policy())
        }
        return try await sandbox.run(program)
    }

    private func policy() throws -> Policy {
        let text = """
            policy: holds
            summary: A test.
            includes: [tool]
            paths:
              grants:
                - { reason: The place around it., rights: [read, write], paths: ['\(folder)'] }
                - { reason: The narrower place., rights: [read], paths: ['\(hooks)'] }

            """
        try Data(text.utf8).write(to: policies.url.appending(path: "holds.yaml"))
        return try PolicyLibrary.standard(overriding: policies.url.path).policy(named: "holds")
    }

    /// The ways to put other files at the path of the narrower place. Each is tried alone, because one could undo another.
    private static let attempts = [
        "mv a z; mv x a", "mv a/b a/z; mv x/b a/b", "mv a/b/hooks a/b/z; mv x/b/hooks a/b/hooks",
        exchange("a", "x"), exchange("a/b", "x/b"), exchange("a/b/hooks", "x/b/hooks"),
        "rm -rf a/b/hooks; rmdir a/b/hooks a/b a; mkdir -p a/b/hooks; echo after > a/b/hooks/hook",
        "mv x/b/hooks/hook a/b/hooks/hook; ln x/b/hooks/hook a/b/hooks/more",
        "ln a/b/hooks/hook linked; echo after > linked; chmod 600 a/b/hooks/hook",
    ]

    /// renameat2(2) with `RENAME_EXCHANGE`.
    private static func exchange(_ one: String, _ other: String) -> String {
        "perl -e 'syscall(316, -100, \"\(one)\", -100, \"\(other)\", 2)'"
    }

    @Test(arguments: Way.allCases, attempts)
    func `FS-39: a narrower place keeps its path and its files, whatever the program renames or links`(
        way: Way, attempt: String
    ) async throws {
        let before = try status(hooks + "/hook")
        let result = try await run("mkdir -p x/b/hooks; echo after > x/b/hooks/hook; \(attempt); true", way)
        #expect(result.report.exitCode == 0, "\(result.report)")
        let after = try status(hooks + "/hook")
        #expect(before.st_ino == after.st_ino && before.st_mode == after.st_mode)
        #expect(try String(contentsOfFile: hooks + "/hook", encoding: .utf8) == "before\n")
    }

    private func status(_ path: String) throws -> stat {
        var found = stat()
        try #require(lstat(path, &found) == 0)
        return found
    }

    @Test func `FS-39: a directory between nested writable places and a narrower place cannot be moved`() async throws {
        var program = SandboxProgram("/bin/sh", arguments: ["-c", "cd \(folder); mv a z; mv a/b a/z; ls; ls a"])
        program.write(folder)
        program.write(folder + "/a/b")
        program.read(hooks)
        let result = try await sandbox.run(program)
        #expect(String(decoding: result.output, as: UTF8.self) == "a\nb\n", "\(result)")
    }

    @Test(arguments: [Way.directory, .file, .code])
    func `FS-39: a file with a second name in the writable place is not handed over`(way: Way) async throws {
        try FileManager.default.createDirectory(atPath: folder + "/x/y", withIntermediateDirectories: true)
        try FileManager.default.linkItem(atPath: hooks + "/hook", toPath: folder + "/x/y/second")
        let error = await #expect(throws: SandboxError.self) { _ = try await run("true", way) }
        #expect(error?.cause.contains("/a/b/hooks/hook has a second name") == true, "\(String(describing: error))")
        #expect(error?.cause.contains("/x/y/second") == true && error?.remedy != nil)
    }

    @Test func `FS-39: a second name in another writable place counts too`() async throws {
        let other = try TemporaryFolder()
        chmod(other.url.path, 0o777)
        try FileManager.default.linkItem(atPath: hooks + "/hook", toPath: other.url.path + "/second")
        var program = SandboxProgram("/bin/true")
        program.write(folder)
        program.write(other.url.path)
        program.read(hooks)
        let error = await #expect(throws: SandboxError.self) { _ = try await sandbox.run(program) }
        #expect(error?.cause.contains("has a second name") == true, "\(String(describing: error))")
    }

    /// The owner of a directory can open it again. Root lists it anyway.
    @Test(arguments: [mode_t(0o300), 0])
    func `FS-39: a directory that cannot be listed hides no second name`(mode: mode_t) async throws {
        let hidden = folder + "/hidden"
        try FileManager.default.createDirectory(atPath: hidden, withIntermediateDirectories: false)
        try FileManager.default.linkItem(atPath: hooks + "/hook", toPath: hidden + "/second")
        chmod(hidden, mode)
        defer { chmod(hidden, 0o700) }
        let error = await #expect(throws: SandboxError.self) { _ = try await run("true", .directory) }
        let wanted = geteuid() == 0 ? "has a second name" : "it cannot be listed"
        #expect(error?.cause.contains(wanted) == true, "\(String(describing: error))")
    }

    @Test func `FS-39: a name that cannot be spelled hides no second name and no pipe`() async throws {
        let name = Array((folder + "/a/b/hooks/").utf8CString.dropLast()) + [CChar(bitPattern: 0xFF), 0]
        func wrong() async -> String? {
            do {
                _ = try await run("true", .directory)
                return nil
            } catch {
                return "\(error)"
            }
        }
        // A file with one name can be changed only where it lies.
        try #require(symlink("nowhere", name) == 0)
        #expect(await wrong() == nil)
        try #require(unlink(name) == 0 && link(hooks + "/hook", name) == 0)
        #expect(await wrong()?.contains("a name in it is not UTF-8") == true)
        try #require(unlink(name) == 0 && mkfifo(name, 0o666) == 0)
        #expect(await wrong()?.contains("a name in it is not UTF-8") == true)
        try #require(unlink(name) == 0)
    }

    /// The ways in which the host can show files of the narrower place at a second path.
    @Test(
        .enabled(if: geteuid() == 0, "needs root, who alone mounts"),
        arguments: ["a/b/hooks", "a/b/hooks/hook", "a/b", "a/b/hooks/more"])
    func `FS-39: a second mount of the files in a writable place is refused`(source: String) async throws {
        try FileManager.default.createDirectory(atPath: hooks + "/more", withIntermediateDirectories: false)
        let other = folder + "/other"
        if source.hasSuffix("/hook") {
            try Data().write(to: URL(filePath: other))
        } else {
            try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        }
        try #require(mount(folder + "/" + source, other, nil, UInt(MS_BIND), nil) == 0)
        defer { umount2(other, Int32(MNT_DETACH)) }
        let error = await #expect(throws: SandboxError.self) { _ = try await run("true", .directory) }
        #expect(error?.cause.contains("is also mounted at \(other)") == true, "\(String(describing: error))")
        #expect(error?.remedy != nil)
        // If the program may not write at the second path either, it is no way around the mount. The directory above
        // the place stays writable, so a second mount of it stays refused.
        guard source != "a/b" else { return }
        var program = SandboxProgram("/bin/true")
        program.write(folder)
        program.read(hooks)
        program.read(other)
        #expect(try await sandbox.run(program).report.exitCode == 0)
    }

    @Test func `FS-39: a file with two names in the narrower place is handed over`() async throws {
        try FileManager.default.linkItem(atPath: hooks + "/hook", toPath: hooks + "/second")
        let result = try await run("echo after > a/b/hooks/second; cat a/b/hooks/hook", .directory)
        #expect(String(decoding: result.output, as: UTF8.self) == "before\n")
    }

    @Test func `FS-39: without a root of its own, a launch with a narrower place is refused`() throws {
        let policy = try policy()
        let error = #expect(throws: SandboxError.self) { _ = try GrantLayout(policy, layers: [.landlock]) }
        #expect(error?.cause.contains("without the layer root") == true)
        // Without Landlock too, the program is trusted with all files of the calling user.
        _ = try GrantLayout(policy, layers: [.user])
    }

    // MARK: - Pipes and devices

    /// Landlock adds up the rights of all places around a file, and a read-only mount does not keep a pipe from being
    /// written to.
    @Test(arguments: [true, false])
    func `FS-40: a named pipe for reading is not handed over where the program may write around it`(
        isBelowScratch: Bool
    ) async throws {
        // The sandbox has a `/tmp` of its own, in which the program may write.
        let place = isBelowScratch ? "/tmp/annex-test-\(UUID().uuidString)" : folder + "/a/pipes"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: place) }
        try #require(mkfifo(place + "/pipe", 0o666) == 0)
        for path in [place, place + "/pipe"] {
            var program = SandboxProgram("/bin/sh", arguments: ["-c", "echo x > \(place)/pipe"])
            if !isBelowScratch { program.write(folder) }
            program.read(path)
            let error = await #expect(throws: SandboxError.self) { _ = try await sandbox.run(program) }
            #expect(error?.cause.contains("pipe is a named pipe") == true && error?.remedy != nil, "\(path)")
        }
    }

    @Test func `FS-40: a named pipe that may be written to is handed over`() async throws {
        try #require(mkfifo(hooks + "/pipe", 0o666) == 0)
        chmod(hooks + "/pipe", 0o666)
        var program = SandboxProgram(
            "/bin/sh", arguments: ["-c", "echo x > \(hooks)/pipe & read line < \(hooks)/pipe; echo $line"])
        program.write(folder)
        program.read(hooks)
        program.write(hooks + "/pipe")
        #expect(String(decoding: try await sandbox.run(program).output, as: UTF8.self) == "x\n")
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, who alone makes device nodes"))
    func `FS-40: a device node in a narrower place is not opened`() async throws {
        try #require(mknod(hooks + "/null", S_IFCHR | 0o666, 1 << 8 | 3) == 0)
        chmod(hooks + "/null", 0o666)
        let result = try await run("echo x > a/b/hooks/null; echo $?; cat a/b/hooks/null; echo $?", .directory)
        #expect(String(decoding: result.output, as: UTF8.self) == "2\n1\n", "\(result)")
    }

    @Test func `a directory with more levels than a walk follows is refused aloud`() async throws {
        var place = hooks
        for _ in 0..<300 { place += "/d" }
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let error = await #expect(throws: SandboxError.self) { _ = try await run("true", .directory) }
        #expect(error?.cause.contains("nested too deeply") == true && error?.remedy != nil)
    }
}
