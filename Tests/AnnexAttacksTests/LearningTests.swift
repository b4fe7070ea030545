import AnnexLaunch
import AnnexPolicy
import Glibc
import Testing

@testable import AnnexPolicyTools
@testable import AnnexSandbox

/// Records a program, proposes a policy, and checks that the program runs in the same way under this policy.
@Suite(.timeLimit(.minutes(20))) struct LearningTests {
    @Test(arguments: [
        ["/usr/bin/cat", "/etc/ld.so.cache"], ["/usr/bin/env"], ["/usr/bin/expr", "6", "*", "7"],
        ["/usr/bin/perl", "-e", "print 6*7"],
        // This program is a server and its client at once. It needs a network, but no other program in that network.
        [
            "/usr/bin/perl", "-MSocket", "-e",
            """
            socket($s, AF_INET, SOCK_STREAM, 0) && bind($s, sockaddr_in(0, INADDR_LOOPBACK)) && listen($s, 1) or die;
            socket($c, AF_INET, SOCK_STREAM, 0) && connect($c, getsockname($s)) or die "$!"; print "met"
            """,
        ],
        // In most releases of Debian, `awk` is a link to another link.
        ["/usr/bin/awk", "BEGIN { print 6 * 7 }"],
    ])
    func `a program runs the same under the policy proposed from its run`(command: [String]) async throws {
        try #require(access(command[0], X_OK) == 0, "\(command[0]) is part of every Debian")
        var bare = Sandbox(policy: try .shipped(named: "tool"))
        bare.denials = .learn
        let program = SandboxProgram(command[0], arguments: Array(command.dropFirst()))
        let first = try await bare.run(program)
        #expect(first.report.exitCode == 0)
        var recording = try #require(first.recording)
        for path in [command[0]] + HostLookup(isWritable: { _ in false }).trail(command[0]) {
            recording.add(program: path)
        }
        let proposal = try PolicyProposal(from: recording, program: command[0], named: "learned")
        var texts: [String: String] = ["learned": proposal.text]
        for name in PolicyLibrary.shipped.names { texts[name] = PolicyLibrary.shipped.text(named: name) }
        let policy = try PolicyLibrary(texts: texts).policy(named: "learned")
        let again = try await Sandbox(policy: policy).run(program)
        #expect(again.report.exitCode == 0, "\(again.report)\n\(proposal.text)")
        #expect(again.output == first.output)
        #expect(policy.findings().isEmpty)
    }
}
