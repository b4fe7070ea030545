import AnnexLinux
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch
@testable import AnnexSandbox

/// The memory and time that the kernel spends for a program must be bounded too, with a control group and without one.
@Suite(.timeLimit(.minutes(20))) struct TakingProgramTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o755)
    }

    private func program(_ arguments: String...) throws -> SandboxProgram {
        let file = folder.url.appending(path: "takes-much")
        if !FileManager.default.fileExists(atPath: file.path) {
            try FileManager.default.copyProgram(
                at: WardenFixture.fixture.deletingLastPathComponent().appending(path: "takes-much"), to: file)
        }
        return SandboxProgram(file.path, arguments: arguments)
    }

    private func policy(including other: String, _ limits: String) throws -> Policy {
        let text = "policy: taking\nsummary: A test.\nincludes: [\(other)]\nlimits: { \(limits) }\n"
        return try PolicyLibrary.shipped.adding(["taking": (text, "taking.yaml")]).policy(named: "taking")
    }

    /// 32 GiB of read-only addresses have up to 64 MiB of page tables. The program may get fewer addresses.
    @Test(arguments: ["compute", "tool"])
    func `page tables count as memory`(_ name: String) async throws {
        let policy = try policy(including: name, "memory: 16M")
        let report = try await Sandbox(policy: policy).run(program("page-tables", "32")).report
        #expect(report.reason == .memoryLimit, "\(report)")
    }

    @Test func `the processor time of all processes together ends a program`() async throws {
        let policy = try policy(including: "tool", "processor: 4s, processes: 32, request: 120s")
        let report = try await Sandbox(policy: policy).run(program("burn", "4")).report
        #expect(report.reason == .processorLimit, "\(report)")
        #expect(report.detail.contains("together"), "\(report)")
    }

    /// The kernel counts descriptors in flight for each user. A program may not send more if its user has as many
    /// descriptors in flight as the program may open. This limit is usually 1,024.
    @Test func `a program that runs as its caller leaves the caller descriptors to send`() async throws {
        let result = try await Sandbox(policy: .shipped(named: "tool")).run(program("descriptors"))
        let sent = try #require(Int(String(decoding: result.output, as: UTF8.self).dropLast()), "\(result.report)")
        // If root runs the test, the program has another user than its caller.
        #expect(sent > 0 && (sent < 1024 || getuid() == 0))
    }
}
