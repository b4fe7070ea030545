import AnnexAttacks
import AnnexPolicy
import Testing

@testable import AnnexPolicyTools

/// Tries the expectations of policies live, with a kernel's answers to real calls.
@Suite(.timeLimit(.minutes(20))) struct ExpectationTrialTests {
    static func results(_ text: String, of policy: Policy) async throws -> [ExpectationResult] {
        let expectations = try Expectations(text: text, file: "\(policy.name).expectations.yaml")
        let trial = ExpectationTrial(policy: policy, sandbox: try TrialSandbox())
        var results: [ExpectationResult] = []
        for expectation in expectations.all { results.append(try await trial.result(of: expectation)) }
        return results
    }

    @Test(arguments: ["base", "compute", "com.apple.ui-services", "com.apple.photo-editing"])
    func `the expectations of a shipped policy hold live`(name: String) async throws {
        let policy = try Policy.shipped(named: name)
        let expectations = try #require(try Expectations.shipped(for: name))
        let trial = ExpectationTrial(policy: policy, sandbox: try TrialSandbox())
        var tried = 0
        for expectation in expectations.all {
            let result = try await trial.result(of: expectation)
            #expect(result.failure == nil, "\(expectation.place): \(expectation): \(result.failure ?? "")")
            tried += result.live == .tried ? 1 : 0
        }
        print("\(name): \(tried) of \(expectations.all.count) expectations tried live")
        #expect(tried > 70)
    }

    /// The trial must find a difference. Here, the answers of a policy and of the kernel disagree.
    @Test func `an expectation fails if the live answer differs from it`() {
        let allowed = ExpectationTrial.failure(
            of: .denied(answer: .errno(1), layer: nil),
            .init(errno: nil, hasResult: true, isEnded: false, isReported: false), quiet: nil)
        #expect(allowed == "live: it was allowed instead of EPERM")
        let other = ExpectationTrial.failure(
            of: .denied(answer: .errno(1), layer: nil),
            .init(errno: 1, hasResult: true, isEnded: false, isReported: false), quiet: nil)
        #expect(other == "live: EPERM, which the filter did not say instead of EPERM")
        let refused = ExpectationTrial.failure(
            of: .allowed, .init(errno: 1, hasResult: true, isEnded: false, isReported: true), quiet: nil)
        #expect(refused == "live: the filter refused it")
        let ended = ExpectationTrial.failure(
            of: .denied(answer: .end, layer: nil),
            .init(errno: 1, hasResult: true, isEnded: false, isReported: true), quiet: nil)
        #expect(ended == "live: the process was not ended for it")
    }

    @Test func `an expectation that the policy itself fails is not tried`() async throws {
        let results = try await Self.results(
            "expectations: compute\nallows: [ptrace]\ndenies: [getpid]", of: .shipped(named: "compute"))
        #expect(results.allSatisfy { $0.failure != nil && $0.live != .tried })
    }
}
