/// Compares a filter with its policy far more thoroughly than a launch does. Every policy that Annex ships has passed
/// this proof.
package enum FilterProof {
    /// Compares the answers to every number from 0 to 1023, the x32 calls and invalid numbers. It does so on this and
    /// other architectures, at the edges of each compared argument.
    ///
    /// - Throws: for the first call that filter and policy answer differently.
    package static func prove(_ policy: Policy, reporting: FilterReports) throws(PolicyError) {
        let filter = try policy.filter(reporting: reporting)
        let judge = FilterJudge(policy: policy, filter: filter, reporting: reporting)
        for architecture in Set(others + [policy.architecture.audit]) {
            if let difference = judge.firstDifference(among: Array(0..<1024) + strange, architecture: architecture) {
                throw PolicyError("the filter differs from the policy: \(difference)", at: policy.unlisted.place)
            }
        }
    }

    /// i386, ARM, both architectures of Annex, and two invalid values.
    private static let others: [UInt32] = [0x4000_0003, 0x4000_0028, 0xC000_003E, 0xC000_00B7, 0, .max]

    /// The x32 calls, the largest and smallest numbers, and their neighbours.
    private static let strange: [Int32] =
        (0...600).map { 0x4000_0000 | $0 } + [.max, .min, .min + 1, -2, -1, 0x3FFF_FFFF]
}
