import AnnexAttacks
import AnnexLaunch
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

/// If a folder contains another file system, that file system must be bound read-only too.
@Suite(.timeLimit(.minutes(20))) struct SubmountTests {
    @Test(.enabled(if: geteuid() == 0, "needs root: nobody else can mount a file system to be bound"))
    func `FS-07: a file system inside the bundle is read-only too`() async throws {
        let sandbox = try TrialSandbox()
        let inner = URL(filePath: sandbox.programPath).deletingLastPathComponent().appending(path: "inner").path
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        defer { rmdir(inner) }
        #expect(try Self.run("mount", "-t", "tmpfs", "-o", "mode=777", "annex-inner", inner) == .exited(0))
        defer { _ = try? Self.run("umount", inner) }
        var script = TrialScript()
        let look = script.call("newfstatat", with: -100, script.text("/bundle/inner"), script.room(256), 0)
        let write = script.call("openat", with: -100, script.text("/bundle/inner/new"), 0o2000101, 0o600)
        // The layers for system calls and for Landlock are off, so that only the bind can deny the write.
        let outcome = try await sandbox.run(
            script, under: .shipped(named: "base"), layers: .all.subtracting([.seccomp, .landlock]))
        #expect(outcome.answers.succeeded(look))
        #expect(outcome.answers.errno(write) == EROFS)
    }

    private static func run(_ command: String...) throws -> ChildProcess.End {
        try ChildProcess(URL(filePath: "/usr/bin/env"), arguments: command).waitUntilExit()
    }
}
