internal import AnnexLaunch
package import AnnexPolicy
package import AnnexPolicyTools
internal import Glibc

/// Tries an expectation in its own sandbox. It makes the call or opens the path.
package struct ExpectationTrial: Sendable {
    private let policy: Policy
    private let sandbox: TrialSandbox

    package init(policy: Policy, sandbox: TrialSandbox) {
        self.policy = policy
        self.sandbox = sandbox
    }

    /// Tries the expectation in a sandbox only if the policy's own answer meets the expectation.
    package func result(of expectation: Expectation) async throws(TrialFailure) -> ExpectationResult {
        if let failure = policy.failure(of: expectation) {
            return ExpectationResult(
                expectation, failure: failure, live: .notTried("the policy's answer fails it already"))
        }
        switch expectation.subject {
        case .call(let call, let arguments):
            if let reason = Self.untriable[call.name], expectation.wanted == .allowed {
                return ExpectationResult(expectation, failure: nil, live: .notTried(reason))
            }
            var script = TrialScript()
            // The program of a trial has the hidden numbers.
            let registers = OwnNumbers.hidden.settled(arguments)
            let step = script.call(number: call.number, registers.map { .value($0) })
            let outcome = try await outcome(of: script, expectation)
            try Self.checkStarted(outcome)
            let found = Self.failure(
                of: expectation.wanted, Seen(outcome, step: step), quiet: quiet(call, with: arguments))
            return ExpectationResult(expectation, failure: found, live: .tried)
        case .path(let path, let rights):
            return try await PathTrial(policy: policy, sandbox: sandbox).result(
                of: expectation, path: path, rights: rights)
        }
    }

    /// Runs the script of one call. An allowed call may block for ever, so its time limit is short. A refused call
    /// returns at once. If a busy machine did not give the program enough time to begin, the script is run again with
    /// more time.
    private func outcome(of script: TrialScript, _ expectation: Expectation) async throws(TrialFailure) -> TrialOutcome
    {
        if expectation.wanted == .allowed {
            let outcome = try await sandbox.run(script, under: policy, watchdog: .seconds(2))
            if outcome.answers.hasBegun || !outcome.isOverdue { return outcome }
        }
        return try await sandbox.run(script, under: policy)
    }

    /// Calls that cannot be tried if they are allowed. They end or disturb the program that would report their result.
    private static let untriable = [
        "vfork": "a child would run on in its parent's memory", "exit": "it ends the program that would tell",
        "exit_group": "it ends the program that would tell",
    ]

    static func checkStarted(_ outcome: TrialOutcome) throws(TrialFailure) {
        if let failure = outcome.end.failure { throw TrialFailure("\(failure)") }
        guard outcome.answers.hasBegun else { throw TrialFailure("its program never ran\(outcome.fate)") }
    }

    /// The errno that the filter returns by itself, without a report; nil if the filter does not return an errno by
    /// itself.
    private func quiet(_ call: SystemCall, with arguments: [UInt64]) -> Int32? {
        if case .deny(let errno, reported: false) = policy.verdict(number: call.number, arguments: arguments).answer {
            return errno
        }
        return nil
    }

    /// The kernel's observed answer to one step.
    package struct Seen: Sendable {
        let errno: Int32?
        let hasResult: Bool
        let isEnded: Bool
        /// Whether the filter refused the call and reported it.
        let isReported: Bool

        package init(errno: Int32?, hasResult: Bool, isEnded: Bool, isReported: Bool) {
            self.errno = errno
            self.hasResult = hasResult
            self.isEnded = isEnded
            self.isReported = isReported
        }

        init(_ outcome: TrialOutcome, step: Int) {
            errno = outcome.answers.errno(step)
            hasResult = outcome.answers.results[step] != nil
            isEnded = outcome.ending != nil
            isReported = !outcome.end.denials.isEmpty
        }
    }

    /// Why the observed answer is not the wanted answer; nil if it is the wanted answer.
    ///
    /// - Parameter quiet: the errno that the filter returns for this call by itself, without a report.
    package static func failure(of wanted: Expectation.Wanted, _ seen: Seen, quiet: Int32?) -> String? {
        switch wanted {
        case .allowed:
            if seen.isEnded { return "live: the process was ended for it" }
            return seen.isReported ? "live: the filter refused it" : nil
        case .denied(let answer, _):
            switch answer {
            case .end?: return seen.isEnded && !seen.hasResult ? nil : "live: the process was not ended for it"
            case .errno(0)? where quiet == 0:
                return seen.hasResult && seen.errno == nil && !seen.isEnded ? nil : "live: " + Self.words(seen)
            case .errno(let number)?:
                if seen.errno == number, seen.isReported || quiet == number { return nil }
                return "live: " + Self.words(seen) + " instead of \(Expectation.Answer.errno(number).word)"
            case nil:
                return seen.isEnded || seen.isReported || quiet != nil && seen.errno == quiet
                    ? nil : "live: " + Self.words(seen)
            }
        }
    }

    private static func words(_ seen: Seen) -> String {
        if seen.isEnded { return "the process was ended" }
        guard seen.hasResult else { return "nothing was told" }
        guard let errno = seen.errno else { return "it was allowed" }
        return "\(Expectation.Answer.errno(errno).word)\(seen.isReported ? "" : ", which the filter did not say")"
    }
}
