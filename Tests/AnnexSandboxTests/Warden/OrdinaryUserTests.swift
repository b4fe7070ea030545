import Foundation
import Testing

/// As root: the same tests once more, as a user who is nobody special.
@Suite(.timeLimit(.minutes(5))) struct OrdinaryUserTests {
    static let suites = "AnnexSandboxTests\\.(World|Files|Descriptors|Filter|Fault|Lifeline|MalformedPlan)Tests"
    static let user = "1000"

    /// Whether that user can run what was built here.
    static var isPossible: Bool {
        guard geteuid() == 0, Tool.exists("setpriv") else { return false }
        let program = ProcessInfo.processInfo.arguments[0]
        return (try? Tool.run(asUser(["test", "-x", program])).status) == 0
            && (try? Tool.run(asUser(["test", "-x", Ground.fixture.path])).status) == 0
    }

    static func asUser(_ command: [String]) -> [String] {
        ["setpriv", "--reuid", user, "--regid", user, "--clear-groups"] + command
    }

    @Test(
        .enabled(
            if: OrdinaryUserTests.isPossible,
            "needs root, setpriv, and a build that uid 1000 can reach; as an ordinary user the suites run themselves"))
    func theSameHoldsForAnOrdinaryUser() throws {
        let program = ProcessInfo.processInfo.arguments[0]
        let result = try Tool.run(
            Self.asUser([program, "--testing-library", "swift-testing", "--filter", Self.suites]),
            environment: ["HOME": "/nonexistent", "TMPDIR": "/tmp"])
        #expect(result.status == 0, "\(result.output.suffix(8000))")
        #expect(result.output.contains("passed"))
        print("the warden's suites ran as uid \(Self.user) too")
    }
}
