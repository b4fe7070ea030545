/// Holds the filter of a policy against the policy far beyond what a launch needs. Every policy that Annex ships has
/// passed it.
package enum FilterProof {
    /// Throws for the first call on which filter and policy differ: every number from 0 to 1023, the x32 calls and what
    /// is no number at all, on this architecture and on others, at the edges of each compared argument.
    package static func prove(_ policy: Policy, reporting: FilterReports) throws(PolicyError) {
        let filter = try policy.filter(reporting: reporting)
        let judge = FilterJudge(policy: policy, filter: filter, reporting: reporting)
        for architecture in Set(others + [policy.architecture.audit]) {
            if let difference = judge.firstDifference(among: Array(0..<1024) + strange, architecture: architecture) {
                throw PolicyError("the filter differs from the policy: \(difference)", at: policy.unlisted.place)
            }
        }
    }

    /// i386, ARM, both of Annex's, none and all.
    private static let others: [UInt32] = [0x4000_0003, 0x4000_0028, 0xC000_003E, 0xC000_00B7, 0, .max]

    /// The x32 calls, the largest and smallest numbers, and those beside the borders between them.
    private static let strange: [Int32] =
        (0...600).map { 0x4000_0000 | $0 } + [.max, .min, .min + 1, -2, -1, 0x3FFF_FFFF]
}
