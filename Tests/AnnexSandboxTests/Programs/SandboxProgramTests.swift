import AnnexLinux
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch
@testable import AnnexSandbox

/// Programs that run as an embedder runs them, with granted files and limits. The end of a program is returned as a
/// value.
@Suite(.timeLimit(.minutes(20))) struct SandboxProgramTests {
    private let home: TemporaryFolder
    private let sandbox: Sandbox

    private var folder: URL { home.url }

    init() throws {
        home = try TemporaryFolder()
        let folder = home.url
        try Data("one\ntwo\n".utf8).write(to: folder.appending(path: "data"))
        chmod(folder.path, 0o755)
        sandbox = Sandbox(policy: try .shipped(named: "tool"))
    }

    private func shell(_ script: String) -> SandboxProgram { SandboxProgram("/bin/sh", arguments: ["-c", script]) }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func `output, errors and input are kept apart`() async throws {
        var program = shell("cat; echo bad >&2")
        program.input = .bytes(Array("given".utf8))
        let result = try await sandbox.run(program)
        #expect(text(result.output) == "given" && text(result.errors) == "bad\n")
        #expect(!result.report.steps.isEmpty && result.report.layers.count >= 13)
    }

    @Test func `FS-01: a file is visible only if it was handed over`() async throws {
        var program = shell("cat \(folder.path)/data")
        #expect(try await sandbox.run(program).report.exitCode == 1)
        program.read(folder.appending(path: "data").path)
        #expect(text(try await sandbox.run(program).output) == "one\ntwo\n")
    }

    @Test func `a folder that is handed over for reading is not written`() async throws {
        var program = shell("echo more >> \(folder.path)/data; touch \(folder.path)/new; ls \(folder.path)")
        program.read(folder.path)
        let result = try await sandbox.run(program)
        #expect(text(result.output) == "data\n")
        #expect(try String(contentsOf: folder.appending(path: "data"), encoding: .utf8) == "one\ntwo\n")
    }

    @Test func `files in a folder for writing are written and never executed`() async throws {
        chmod(folder.path, 0o777)
        var program = shell(
            "cd \(folder.path) && cp /bin/true made && chmod 755 made && ./made; echo $?; chmod 4755 made")
        program.write(folder.path)
        let result = try await sandbox.run(program)
        #expect(text(result.output) == "126\n", "what was written was executed")
        #expect(result.report.exitCode != 0, "a set-user-ID bit was set")
        var status = stat()
        #expect(stat(folder.path + "/made", &status) == 0 && status.st_mode & 0o6000 == 0)
    }

    @Test func `links on a path that is handed over exist inside`() async throws {
        let link = folder.appending(path: "link")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "data")
        var program = shell("cat \(link.path); readlink \(link.path)")
        program.read(link.path)
        #expect(text(try await sandbox.run(program).output) == "one\ntwo\ndata\n")
    }

    @Test func `scripts run with their interpreter`() async throws {
        let script = folder.appending(path: "script")
        try Data("#! /bin/sh -e\necho $0 $1\n".utf8).write(to: script)
        try FileManager.default.settle(script, mode: 0o755)
        let result = try await sandbox.run(SandboxProgram(script.path, arguments: ["x"]))
        #expect(text(result.output) == "\(script.path) x\n")
    }

    @Test func `a script whose interpreter may not run is refused`() async throws {
        let script = folder.appending(path: "script")
        try Data("#!\(folder.path)/shell\n".utf8).write(to: script)
        try FileManager.default.copyItem(atPath: "/bin/true", toPath: folder.path + "/shell")
        chmod(script.path, 0o755)
        await #expect(throws: SandboxError.self) { try await sandbox.run(SandboxProgram(script.path)) }
    }

    @Test(arguments: ["annex-no-such-program", "/nowhere/at/all", ""])
    func `the error for a missing program says that it is missing`(name: String) async throws {
        let error = await #expect(throws: SandboxError.self) { try await sandbox.run(SandboxProgram(name)) }
        #expect(error?.isMissing == true)
    }

    @Test(arguments: ["/", "/proc", "/dev", "/root"]) func `whole systems are not handed over`(path: String)
        async throws
    {
        var program = shell("true")
        program.write(path)
        await #expect(throws: SandboxError.self) { try await sandbox.run(program) }
    }

    @Test func `BOMB-01: too much memory ends a program with its reason`() async throws {
        var sandbox = sandbox
        sandbox.tighten(memory: 48 << 20)
        let program = SandboxProgram("/usr/bin/perl", arguments: ["-e", "my @a; push @a, 'x' x 1000000 while 1"])
        try #require(access("/usr/bin/perl", X_OK) == 0)
        let report = try await sandbox.run(program).report
        // If memory is only watched, the kernel refuses to give more, and the program itself decides how it then ends.
        let isDenied = !report.isMemoryEnforced && report.reason == .exited && report.exitCode != 0
        #expect(report.reason == .memoryLimit || isDenied, "\(report)")
    }

    @Test(arguments: [("exit 3", SandboxRunReport.Reason.exited), ("unshare -U true", .deniedOperation)])
    func `BOMB-01: an end after a child ran out of memory has its own reason`(
        last: String, reason: SandboxRunReport.Reason
    ) async throws {
        var sandbox = sandbox
        sandbox.tighten(memory: 64 << 20)
        let report = try await sandbox.run(shell("/usr/bin/perl -e '$x = \"x\" x 200000000'; \(last)")).report
        // A control group of version 2 ends all processes of a sandbox together.
        guard !report.isMemoryEnforced || ControlGroupHierarchy.find()?.version != .two else {
            return #expect(report.reason == .memoryLimit, "\(report)")
        }
        #expect(report.reason == reason && report.exitCode == (reason == .exited ? 3 : nil), "\(report)")
    }

    /// Runs a script under a policy with a private directory of 1 MiB and ten files. The script runs far longer than
    /// the interval between two checks.
    private func keeping(_ script: String) async throws -> SandboxRunReport {
        let kept = folder.appending(path: "kept")
        try FileManager.default.createDirectory(at: kept, withIntermediateDirectories: true)
        chmod(kept.path, 0o777)
        let text = """
            policy: keeps
            summary: A test.
            includes: [tool]
            paths: { private: { persistent: { size: 1M, inodes: 10 } } }

            """
        try Data(text.utf8).write(to: folder.appending(path: "keeps.yaml"))
        var sandbox = Sandbox(policy: try PolicyLibrary.standard(overriding: folder.path).policy(named: "keeps"))
        sandbox.privateDirectory = kept.path
        return try await sandbox.run(
            shell("cd && \(script); i=0; while [ $i -lt 3000 ]; do sleep 0.1; i=$((i+1)); done")
        )
        .report
    }

    @Test(arguments: ["300 d", "400 .", "300 ."])
    func `FS-24: a closed directory hides nothing from its limit`(closing: String) async throws {
        let report = try await keeping(
            "mkdir d && exec 3> d/big && chmod \(closing) ; head -c 8000000 /dev/zero >&3")
        // If root runs the test, the private directory belongs to another user than the program's, so the directory
        // stays open.
        #expect(report.reason == .diskLimit, "\(report)")
    }

    @Test(arguments: ["exec 3> gone && rm gone", "mkdir d && exec 3> d/gone && rm -r d"])
    func `FS-24: files that are removed and held open count`(removing: String) async throws {
        let report = try await keeping("\(removing); head -c 8000000 /dev/zero >&3")
        #expect(report.reason == .diskLimit, "\(report)")
    }

    @Test func `FS-24: a file name that is no text ends the program and not its host`() async throws {
        let report = try await keeping(#": > a; mkdir d; : > "d/$(printf '\377')"; : > b; : > c"#)
        #expect(report.reason == .diskLimit, "\(report)")
    }

    @Test func `a program that runs too long ends with its reason`() async throws {
        var sandbox = sandbox
        sandbox.tighten(time: .milliseconds(300))
        #expect(try await sandbox.run(shell("sleep 100")).report.reason == .timeLimit)
    }

    @Test func `BOMB-06: too much output ends a program with its reason`() async throws {
        let result = try await sandbox.run(shell("cat /dev/zero"))
        #expect(result.report.reason == .outputLimit)
        #expect(UInt64(result.output.count) <= sandbox.policy.limits.output)
    }

    @Test func `NET-01: a denied call is in the report with its remedy`() async throws {
        let program = SandboxProgram(
            "/usr/bin/perl", arguments: ["-MSocket", "-e", "socket(my $s, AF_INET, SOCK_STREAM, 0) or exit 5"])
        try #require(access("/usr/bin/perl", X_OK) == 0)
        let report = try await sandbox.run(program).report
        #expect(report.exitCode == 5)
        #expect(report.denials.contains { $0.call == "socket" && $0.remedy != nil }, "\(report.denials)")
    }

    @Test(arguments: [("compute", true), ("tool", false)])
    func `an aborting program has a backtrace unless its policy allows signals to itself`(
        _ policy: String, _ shows: Bool
    ) async throws {
        let file = folder.appending(path: "runs-alone")
        try FileManager.default.copyProgram(
            at: WardenFixture.fixture.deletingLastPathComponent().appending(path: "runs-alone"), to: file)
        var program = SandboxProgram(file.path)
        program.environment = ["CONDUCT": "abort"]
        let report = try await Sandbox(policy: .shipped(named: policy)).run(program).report
        #expect(report.reason == .crashed && report.signal == SIGABRT, "\(report)")
        #expect((report.backtrace?.first?.module == Escaped("runs-alone")) == shows, "\(report)")
        #expect((report.backtrace == nil) != shows)
        #expect(try JSONDecoder().decode(SandboxRunReport.self, from: JSONEncoder().encode(report)) == report)
    }

    @Test func `a report reads back the same from its JSON`() async throws {
        let report = try await sandbox.run(shell("exit 4")).report
        let again = try JSONDecoder().decode(SandboxRunReport.self, from: JSONEncoder().encode(report))
        #expect(again == report)
    }
}
