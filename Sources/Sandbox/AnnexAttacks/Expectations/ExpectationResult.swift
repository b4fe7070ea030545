package import AnnexPolicy

/// What became of one expectation.
package struct ExpectationResult: Sendable {
    /// Whether it was tried in a sandbox.
    package enum Live: Sendable, Hashable {
        case tried
        /// It was not, and why.
        case notTried(String)
    }

    package let expectation: Expectation
    /// Why it is not met, by the policy's own answer or by the kernel's; nil where it is.
    package let failure: String?
    package let live: Live

    package init(_ expectation: Expectation, failure: String?, live: Live) {
        self.expectation = expectation
        self.failure = failure
        self.live = live
    }

    /// Why it was not tried live; nil where it was.
    package var untried: String? {
        if case .notTried(let reason) = live { reason } else { nil }
    }
}
