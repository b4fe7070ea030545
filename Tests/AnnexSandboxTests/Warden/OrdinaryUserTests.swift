import AnnexTestSupport
import Foundation
import Testing

/// If the tests run as root, the same tests run once more as an ordinary user.
@Suite(.timeLimit(.minutes(20))) struct OrdinaryUserTests {
    static let suites = "AnnexSandboxTests\\.(World|Files|Descriptors|Filter|Fault|Lifeline|MalformedPlan)Tests"
    static let user = "1000"

    /// Whether an ordinary user can run programs that were built here.
    static func isPossible() async throws -> Bool {
        guard geteuid() == 0, Program.isThere(tool: "setpriv") else { return false }
        for program in [ProcessInfo.processInfo.arguments[0], WardenFixture.fixture.path] {
            guard try await Program.tool(asUser(["test", "-x", program])).status == 0 else { return false }
        }
        return true
    }

    /// Runs a command in a folder that the user can reach, because root's own folder for temporary files may be closed
    /// to that user.
    static func asUser(_ command: [String], group: String = user) -> [String] {
        ["env", "-C", "/", "setpriv", "--reuid", user, "--regid", group, "--clear-groups"] + command
    }

    @Test(
        .enabled(
            "needs root, setpriv, and a build that uid 1000 can reach; as an ordinary user the suites run themselves"
        ) {
            try await OrdinaryUserTests.isPossible()
        })
    func `the suites of the warden pass as an ordinary user too`() async throws {
        try await run(Self.suites, group: Self.user)
    }

    /// Containers often start programs with any user and the group 0.
    @Test(
        .enabled("needs root, setpriv, and a build that uid 1000 can reach") {
            try await OrdinaryUserTests.isPossible()
        })
    func `sandboxes start for an ordinary user with the group 0`() async throws {
        try await run("AnnexSandboxTests\\.WorldTests", group: "0")
    }

    private func run(_ suites: String, group: String) async throws {
        let program = ProcessInfo.processInfo.arguments[0]
        let result = try await Program.tool(
            Self.asUser([program, "--testing-library", "swift-testing", "--filter", suites], group: group),
            environment: ["HOME": "/nonexistent", "TMPDIR": "/tmp"])
        let said = result.output + result.errors
        let failures = said.split(separator: "\n").filter { $0.contains("✘") }.joined(separator: "\n")
        #expect(result.status == 0, "\(failures)\n\(said.suffix(2000))")
        #expect(said.contains("passed"))
        print("the warden's suites ran as uid \(Self.user) with gid \(group) too")
    }
}
