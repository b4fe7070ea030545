internal import AnnexPolicy
package import AnnexPolicyTools

/// The result of one expectation.
package struct ExpectationResult: Sendable {
    /// Whether the expectation was tried in a sandbox.
    package enum Live: Sendable, Hashable {
        case tried
        /// The expectation was not tried, for this reason.
        case notTried(String)
    }

    package let expectation: Expectation
    /// Why the policy's own answer or the kernel's answer does not meet the expectation; nil if both answers meet it.
    package let failure: String?
    package let live: Live

    package init(_ expectation: Expectation, failure: String?, live: Live) {
        self.expectation = expectation
        self.failure = failure
        self.live = live
    }

    /// Why the expectation was not tried in a sandbox; nil if it was tried.
    package var untried: String? {
        if case .notTried(let reason) = live { reason } else { nil }
    }
}
