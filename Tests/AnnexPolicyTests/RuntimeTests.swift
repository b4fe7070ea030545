import CTestSupport
import Foundation
import Testing

@testable import AnnexPolicy

/// A fully static Swift program runs under the policies, in an empty file system.
@Suite(
    .serialized, .timeLimit(.minutes(20)),
    .enabled(if: filter_can_have_own_root() == 1, "neither root nor user namespaces: no root of its own"))
struct RuntimeTests {
    struct Run {
        let status: Int32
        let notified: [String]

        var signal: Int32 { status & 0x7F }
        var code: Int32 { status >> 8 & 0xFF }
    }

    static let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "runs-alone").path()

    static func run(_ policy: String, _ conduct: String) throws -> Run {
        let root = FileManager.default.temporaryDirectory.appending(path: "annex-root-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        let nonce = UInt64.random(in: 1 ... .max)
        let bytes = try Policy.shipped(named: policy).filter().instructions(nonce: nonce)
        var notified = [Int32](repeating: 0, count: 64)
        var count = 0
        let status = filter_run_program(
            bytes, bytes.count / 8, nonce, program, "CONDUCT=\(conduct)", root.path(), &notified, notified.count, &count
        )
        try #require(status >= 0, "not started: errno \(-status)")
        let names = notified.prefix(count).map { SystemCall(number: $0)?.name ?? "\($0)" }
        return Run(status: status, notified: Array(names))
    }

    @Test(arguments: PolicyLibrary.shipped.names, ["nothing", "clock", "random", "text", "cast", "read"])
    func `the Swift runtime makes no call that is denied and reported`(policy: String, conduct: String) throws {
        let run = try Self.run(policy, conduct)
        #expect(run.status == 0)
        #expect(run.notified == [])
    }

    @Test(arguments: ["trap", "fatal"])
    func `a trap ends a program by its signal`(conduct: String) throws {
        let run = try Self.run("base", conduct)
        #expect(run.signal == 4 || run.signal == 5)
        #expect(run.notified == [])
    }

    @Test func `an abort is reported to the listener`() throws {
        #expect(try Self.run("base", "abort").notified.first == "tgkill")
    }

    @Test(arguments: [("socket", "socket"), ("exec", "execve"), ("fork", "clone")])
    func `attacks are reported to the listener`(conduct: String, call: String) throws {
        let run = try Self.run("com.apple.photo-editing", conduct)
        #expect(run.notified.contains(call), "\(run.notified)")
    }
}
