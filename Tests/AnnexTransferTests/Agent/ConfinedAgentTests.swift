import AnnexTestSupport
import Foundation
import Testing

/// The agent in its sandbox, the policy `transfer` with the network of clients. The servers are on a far machine, because
/// the sandbox reaches no address of this machine.
@Suite(
    .agentIsBuilt, .timeLimit(.minutes(20)),
    .enabled(if: FarMachine.isPossible, "the tests of named hosts need /usr/bin/python3, curl and ip (iproute2)"))
struct ConfinedAgentTests {
    @Test(.enabled(if: TestAuthority.isAvailable, "openssl is not installed"))
    func `the agent carries out jobs in its sandbox, and is denied nothing that it needs`() async throws {
        let folder = try TemporaryFolder()
        let conduct = Fixtures.program("carries-out-transfers").path
        let script = """
            run = subprocess.run(['\(conduct)', '\(RunningAgent.program)', 'far.pem', '10.77.0.2',
                'http://code.example.org/?3000000', 'https://code.example.org/?3000000',
                'put 3000000 http://code.example.org/', 'put 3000000 https://code.example.org/',
                'http://127.0.0.1/', 'http://169.254.169.254/', 'http://[::1]/', 'http://10.77.0.1/', 'http://code.example.org:81/'],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            print(run.stdout, run.stderr, run.returncode, sep='\\n')
            print([one.get('body') for one in reached() if 'PUT' in one.get('request', '')])
            """
        let ran = try await FarMachine.run(script, in: folder)
        let lines = ran.output.split(separator: "\n").map(String.init)
        try #require(ran.status == 0 && lines.count >= 12, "\(ran)")
        #expect(lines[0] == "- 200 3000000 0" && lines[1] == "- 200 3000000 0", "\(lines)")
        #expect(lines[2] == "- 200 0 3000000" && lines[3] == "- 200 0 3000000", "\(lines)")
        #expect(lines[4..<8].allSatisfy { $0 == "refusedAddress 0 0 0" }, "\(lines)")
        // An agent that connects where the broker has not sent it gets no connection.
        #expect(lines[8] == "refusedAddress 0 0 0", "\(lines)")
        #expect(lines[9].hasPrefix("exited 0 ") && lines[9].contains("10.77.0.2:81"), "\(lines)")
        #expect(lines[lines.count - 1] == "[3000000, 3000000]", "\(lines)")
    }
}
