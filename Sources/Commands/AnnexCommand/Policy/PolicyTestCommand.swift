import AnnexAttacks
import AnnexLinux
import AnnexPolicy
internal import AnnexPolicyTools
import ArgumentParser

/// `annex policy test`: compares expectations with the text of policies and with the kernel's behaviour.
struct PolicyTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Compare policies with their expectations, by evaluation and in a sandbox.",
        discussion: """
            The file NAME.expectations.yaml beside a policy NAME.yaml lists what the policy must allow and deny. The \
            command evaluates the policy for each expectation. Then it tries the expectation in a sandbox of its own: it \
            makes the call, with arguments that do no harm, or opens the path.

            EXAMPLES
              annex policy test                      every shipped policy
              annex policy test ./mine.yaml          your own policy, with ./mine.expectations.yaml
              annex policy test tool --no-live       evaluate only, without a sandbox
              annex policy test --json               JSON, for a program

            EXIT STATUS
              0   every expectation is met
              1   an expectation is not met
              2   a policy or its expectations cannot be read, or no sandbox can be made
            """)

    @Argument(help: "Policies, by name or path. Default: every policy that has expectations.")
    var policies: [String] = []

    @OptionGroup var choice: PolicyChoice

    @Flag(inversion: .prefixedNo, help: "Also try each expectation in a sandbox of its own.")
    var live = true

    @Flag(help: "Print JSON instead of text.")
    var json = false

    func run() async throws {
        let subjects = try PolicyFailure.reported { try chosen() }
        if live, choice.target != .current {
            throw ValidationError("--arch \(choice.target.rawValue) cannot be tried on this machine: add --no-live")
        }
        var results: [(policy: String, result: ExpectationResult)] = []
        var untried = false
        for (policy, expectations) in subjects {
            // If this machine cannot launch a policy, the tests of the other policies still run.
            guard let found = await tested(policy, against: expectations) else {
                untried = true
                continue
            }
            results += found.map { (policy.name, $0) }
            if !json { show(policy.name, results: found) }
        }
        if json { print(JSON.list(results.map { json($0.policy, result: $0.result) }).written) }
        if untried { throw PolicyFailure.status }
        if results.contains(where: { $0.result.failure != nil }) { throw ExitCode.failure }
    }

    private func chosen() throws -> [(Policy, Expectations)] {
        let names = policies.isEmpty ? try choice.namesWithExpectations() : policies
        return try names.map { name in (try choice.policy(name), try choice.expectations(name)) }
    }

    /// The results for one policy. Nil if no sandbox can be made for the policy. In that case, the function has printed
    /// the reason.
    private func tested(_ policy: Policy, against expectations: Expectations) async -> [ExpectationResult]? {
        let stated = expectations.all.map { expectation in
            ExpectationResult(expectation, failure: policy.failure(of: expectation), live: .notTried("--no-live"))
        }
        guard live else { return stated }
        do {
            let sandbox = try TrialSandbox()
            var results: [ExpectationResult] = []
            for expectation in expectations.all {
                results.append(try await ExpectationTrial(policy: policy, sandbox: sandbox).result(of: expectation))
            }
            return results
        } catch {
            StandardError.print("annex: \(policy.name): \(Escaped("\(error)", limit: 4096))")
            StandardError.print("annex: \(policy.name) was not tried: run annex doctor to see why, or add --no-live")
            return nil
        }
    }

    private func show(_ policy: String, results: [ExpectationResult]) {
        let style = Style.forStandardOutput()
        let failed = results.filter { $0.failure != nil }
        let tried = results.filter { $0.live == .tried }.count
        let mark = failed.isEmpty ? style.good("✓ ") : style.bad("✗ ")
        let text = "\(results.count) expectations, \(tried) of them tried live"
        print(mark + "\(PlainText.shown(policy)): \(text)" + (failed.isEmpty ? "" : ", \(failed.count) not met"))
        for result in failed {
            print(PlainText.shown("  \(result.expectation.place): \(result.expectation): \(result.failure ?? "")"))
        }
        for (reason, list) in Dictionary(grouping: results.compactMap(\.untried), by: { $0 }).sorted(by: {
            $0.key < $1.key
        })
        where reason != "--no-live" {
            print(style.faint("  \(list.count) not tried live: \(reason)"))
        }
    }

    private func json(_ policy: String, result: ExpectationResult) -> JSON {
        .object([
            .init("policy", value: .text(policy)), .init("expectation", value: .text("\(result.expectation)")),
            .init("place", value: .text("\(result.expectation.place)")),
            .init("met", value: .boolean(result.failure == nil)),
            .init("failure", value: .optional(result.failure)), .init("live", value: .boolean(result.live == .tried)),
            .init("notTried", value: .optional(result.untried)),
        ])
    }
}
