package import AnnexPolicy

/// A policy that the program does not have but could get, and the way to get it. If this policy would allow a denied
/// call, the report names the offer as the remedy.
package struct PolicyOffer: Sendable, Hashable {
    package let policy: Policy
    /// The way to get the policy.
    package let remedy: Remedy

    package init(_ policy: Policy, remedy: Remedy) {
        self.policy = policy
        self.remedy = remedy
    }

    /// Whether the policy allows the call, or denies it without a report because libraries work without it.
    func covers(_ call: HeldCall) -> Bool {
        switch policy.answer(number: call.number, arguments: call.arguments) {
        case .allow, .deny(_, reported: false): true
        case .deny, .end, .aborting: false
        }
    }
}
