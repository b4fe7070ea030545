import AnnexLinux
import AnnexPolicy
import Foundation
import Testing

@testable import AnnexLaunch

/// Explanations of denials in a live sandbox. The explanation must not change the behaviour of the program.
@Suite(.serialized, .timeLimit(.minutes(20))) struct ExplainTests {
    @Test func `DEPUTY-07: a path that exists without a grant is explained with its remedy`()
        async throws
    {
        let program = try AskingProgram()
        defer { program.close() }
        let outcome = try await program.run(
            "open /etc/passwd /etc/annex-no-such-file /bundle/harmless", under: AskingProgram.policy(), .explain)
        #expect(outcome.end.failure == nil)
        #expect(outcome.report?.denials == .explain)
        #expect(outcome.said["/etc/passwd"] == "\(ENOENT)")
        #expect(outcome.said["/bundle/harmless"] == "0")
        #expect(outcome.paths.map(\.shown.description) == ["/etc/passwd"])
        let denial = try #require(outcome.pathDenials.first)
        #expect(denial.answer == .denied(errno: ENOENT))
        #expect(denial.layers == [.root, .landlock])
        #expect(denial.remedy == .grant("/etc/passwd", .read))
        #expect(denial.remedyText == "--read /etc/passwd")
        #expect(denial.caller.executable?.description == "program")
        #expect(denial.headline == "read /etc/passwd: denied by own root with ENOENT")
        #expect(outcome.told.contains { $0.key == denial.key })
    }

    @Test func `only the explaining mode reports paths`() async throws {
        let program = try AskingProgram()
        defer { program.close() }
        let outcome = try await program.run("open /etc/passwd", under: AskingProgram.policy())
        #expect(outcome.report?.denials == .enforce)
        #expect(outcome.said["/etc/passwd"] == "\(ENOENT)")
        #expect(outcome.end.denials.isEmpty)
    }

    @Test(arguments: [DenialMode.enforce, .explain])
    func `SEC-05: a path that changes while it is checked never opens the secret`(mode: DenialMode) async throws {
        let program = try AskingProgram()
        defer { program.close() }
        let secret = program.folder.deletingLastPathComponent().appending(path: "annex-secret-\(UUID().uuidString)")
        try Data("secret".utf8).write(to: secret)
        chmod(secret.path, 0o644)
        defer { try? FileManager.default.removeItem(at: secret) }
        // On a busy machine, the other thread may not run for a while. The race has happened when both outcomes have
        // occurred.
        var (opened, missing) = (0, 0)
        while opened == 0 || missing == 0 {
            try Task.checkCancellation()
            let outcome = try await program.run(
                "flip 20000 /bundle/harmless \(secret.path)", under: AskingProgram.policy(), mode)
            #expect(outcome.end.process == .exited(code: 0))
            try #require(outcome.said["wins"] == "0")
            opened += try #require(Int(outcome.said["opened"] ?? ""))
            missing += try #require(Int(outcome.said["missing"] ?? ""))
        }
        #expect((opened + missing).isMultiple(of: 20_000))
    }

    @Test func `a file that exists nowhere is no denial`() async throws {
        let program = try AskingProgram()
        defer { program.close() }
        let outcome = try await program.run("search 500", under: AskingProgram.policy(), .explain)
        #expect(outcome.end.process == .exited(code: 0))
        #expect(outcome.paths.isEmpty)
    }

    @Test(arguments: [DenialMode.enforce, .explain])
    func `a call that only an attack makes ends the program in every mode`(mode: DenialMode) async throws {
        let program = try AskingProgram()
        defer { program.close() }
        let outcome = try await program.run("deep", under: AskingProgram.policy(), mode)
        #expect(outcome.end.denials.filter { !$0.isOfPath && !$0.isQuiet }.map(\.answer) == [.ended])
        #expect(outcome.said["socket"] == nil)
        #expect(outcome.end.denialSummary.mode == mode)
    }

    /// The host kills the program when it learns of the denials, and a busy machine can delay this for any time.
    @Test func `SEC-09: beyond the limit of denials a call gets no answer`() async throws {
        let program = try AskingProgram()
        defer { program.close() }
        let policy = try AskingProgram.policy()
        let most = policy.limits.denials
        let outcome = try await program.run(
            "flood \(most + 50_000)", under: policy, killedAfter: .milliseconds(300))
        #expect(outcome.end.process == .signalled(signal: SIGKILL, core: false))
        #expect(outcome.end.output.bytes.count == most)
        #expect(outcome.end.denialSummary.total == most + 1)
    }

    @Test func `permissive mode performs denied calls and reports them`() async throws {
        let program = try AskingProgram()
        defer { program.close() }
        let outcome = try await program.run("deep", under: AskingProgram.policy(), .permissive)
        #expect(outcome.end.process == .exited(code: 0))
        #expect(outcome.report?.denials == .permissive)
        #expect(outcome.report?.waived.contains { $0.layer == .root } == true)
        #expect(outcome.report?.layers.contains("user namespace") == true)
        #expect(outcome.report?.layers.contains("process namespace") == true)
        let socket = try #require(outcome.end.denials.first { $0.call == "socket" })
        #expect(socket.answer == .passed(errno: nil))
        #expect(Int(outcome.said["socket"] ?? "").map { $0 >= 0 } == true)
    }

    @Test func `permissive mode reports paths that would be denied`() async throws {
        let program = try AskingProgram()
        defer { program.close() }
        let own = program.folder.path + "/harmless"
        let outcome = try await program.run("open /etc/passwd \(own)", under: AskingProgram.policy(), .permissive)
        #expect(outcome.said["/etc/passwd"] == "0")
        let denial = try #require(outcome.pathDenials.first)
        #expect(denial.answer == .passed(errno: ENOENT))
        // The program's own bundle lies at its place on the host, and still counts as the program's own.
        #expect(outcome.paths.map(\.shown.description) == ["/etc/passwd"])
    }

    @Test func `learning records every call and path`() async throws {
        let program = try AskingProgram()
        defer { program.close() }
        let outcome = try await program.run(
            "open /etc/passwd /etc/annex-no-such-file", under: AskingProgram.policy(), .learn)
        #expect(outcome.end.process == .exited(code: 0))
        let recording = try #require(outcome.end.denialSummary.recording)
        #expect(recording.paths["/etc/passwd"]?.exists == true)
        #expect(recording.paths["/etc/passwd"]?.rights == .read)
        #expect(recording.paths["/etc/annex-no-such-file"]?.exists == false)
        let open = try #require(SystemCall(named: "openat")).number
        #expect(recording.calls.keys.contains { $0.number == open && $0.arguments[2] == 0 })
        #expect(recording.dropped == 0)
    }

    @Test func `a sandbox enforces its policy unless its host names another mode`() throws {
        let nothing = try Descriptor.open("/dev/null", O_RDONLY)
        let configuration = SandboxConfiguration(
            policy: try .shipped(named: "base"), bundle: try nothing.duplicate(), executable: try nothing.duplicate(),
            executablePath: "", name: "", gifts: DescriptorList(), numbers: [])
        #expect(configuration.denials == .enforce)
        #expect(configuration.effectiveLayers == .all)
    }
}
