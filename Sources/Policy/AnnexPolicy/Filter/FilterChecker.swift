/// Compares a compiled filter with its policy, for every call number and for the edge values of every compared
/// argument. Edge values lie near the points at which a comparison changes its result.
struct FilterChecker {
    let policy: Policy
    let reporting: FilterReports
    let evaluator: FilterEvaluator

    init(policy: Policy, filter: SeccompFilter, reporting: FilterReports = .denials) {
        self.policy = policy
        self.reporting = reporting
        evaluator = FilterEvaluator(program: filter.program)
    }

    /// A call for which policy and filter give different answers.
    struct Difference: Sendable, Hashable {
        let call: FilterEvaluator.Call
        let expected: FilterAnswer
        /// The filter's answer; nil if the program is not a filter.
        let found: FilterAnswer?
    }

    /// The answer that the filter must give under the policy.
    func expected(_ call: FilterEvaluator.Call) -> FilterAnswer {
        guard call.architecture == policy.architecture.audit else { return .killProcess }
        // A call of the x32 ABI ends the process. The exception is number -1. Only a tracer can set this number, and
        // libseccomp gives it the default action.
        let foreign = policy.architecture == .x86 && UInt32(bitPattern: call.number) >= 0x4000_0000
        if foreign, call.number != -1 { return .killProcess }
        switch policy.answer(number: call.number, arguments: call.arguments) {
        case .allow: return isReferred(call) ? .notify : .allow
        case .deny(let errno, reported: false): return .errno(errno)
        case .deny(_, reported: true), .end, .aborting: return .notify
        }
    }

    /// Whether the kernel refers an allowed call to the listener.
    private func isReferred(_ call: FilterEvaluator.Call) -> Bool {
        guard let known = SystemCall(number: call.number, architecture: policy.architecture) else { return false }
        if policy.isNeededByLaunch(known, arguments: call.arguments) { return false }
        let isBounded = policy.bound(number: call.number, arguments: call.arguments) != nil
        return isBounded || reporting.includesAllowed(known)
    }

    /// The first call for which policy and filter give different answers; nil if there is none.
    func firstDifference(among numbers: some Sequence<Int32>, architecture: UInt32) -> Difference? {
        for number in numbers {
            for arguments in edges(of: number) {
                let call = FilterEvaluator.Call(number: number, architecture: architecture, arguments: arguments)
                let wanted = expected(call)
                let found = try? evaluator.answer(to: call)
                if found != wanted { return Difference(call: call, expected: wanted, found: found) }
            }
        }
        return nil
    }

    /// The register values with which one call is checked. A rule applies with certain combinations of comparisons. For
    /// each such combination, each compared register takes each of its edge values. While one register takes its edge
    /// values, each other register keeps a value for which its comparisons hold. In addition, one set of registers has
    /// all bits zero, and one set has all bits one.
    func edges(of number: Int32) -> [[UInt64]] {
        var all: [[UInt64]] = [[0, 0, 0, 0, 0, 0], [UInt64](repeating: .max, count: 6)]
        for combination in combinations(of: number) {
            var fitting: [UInt64] = [0, 0, 0, 0, 0, 0]
            for part in combination { fitting[part.index] = part.comparison.fitting }
            all.append(fitting)
            for part in combination {
                for edge in part.comparison.boundaries {
                    var registers = fitting
                    registers[part.index] = edge
                    all.append(registers)
                }
            }
        }
        return all
    }

    private func combinations(of number: Int32) -> [[CallRule.Part]] {
        var combinations = (policy.rules[number] ?? []).flatMap(\.combinations)
        if SystemCall(number: number, architecture: policy.architecture)?.name == LaunchCalls.exec {
            combinations.append([
                CallRule.Part(index: 4, comparison: .masked(mask: .max, value: LaunchCalls.execFlags)),
                CallRule.Part(index: 5, comparison: .masked(mask: .max, value: LaunchCalls.sentinel)),
            ])
        }
        return combinations
    }
}

/// Compares a filter with its policy much more thoroughly than a launch does. Every policy that Annex ships has passed
/// this proof.
package enum FilterProof {
    /// Compares the answers to every number from 0 to 1023, to the x32 calls and to invalid numbers. The comparison
    /// covers this and other architectures, with edge values for each compared argument.
    ///
    /// - Throws: an error for the first call for which filter and policy give different answers.
    package static func prove(_ policy: Policy, reporting: FilterReports) throws(PolicyError) {
        let filter = try policy.filter(reporting: reporting)
        let checker = FilterChecker(policy: policy, filter: filter, reporting: reporting)
        for architecture in Set(others + [policy.architecture.audit]) {
            if let difference = checker.firstDifference(among: Array(0..<1024) + strange, architecture: architecture) {
                throw PolicyError("the filter differs from the policy: \(difference)", at: policy.unlisted.place)
            }
        }
        if filter != filter.owned(by: .hidden) { try prove(policy, settledFrom: filter, reporting: reporting) }
    }

    /// Numbers of sandboxes: usual ones, the smallest and the largest, and a user with the number of the group.
    private static let numbers = [
        OwnNumbers.hidden, OwnNumbers(user: 1000, group: 1000), OwnNumbers(user: 1, group: 0),
        OwnNumbers(user: 0x7FFF_FFFF, group: 4242), OwnNumbers(user: .max - 1, group: 0x8000_0000),
    ]

    /// Compares the filters that launches make of a filter with words.
    private static func prove(
        _ policy: Policy, settledFrom filter: SeccompFilter, reporting: FilterReports
    ) throws(PolicyError) {
        try policy.checkCanBeSettledLater()
        for own in numbers {
            let checker = FilterChecker(
                policy: policy.owned(by: own), filter: filter.owned(by: own), reporting: reporting)
            guard let difference = checker.firstDifference(among: 0..<1024, architecture: policy.architecture.audit)
            else { continue }
            throw PolicyError(
                "the filter of the user \(own.user) differs from the policy: \(difference)", at: policy.unlisted.place)
        }
    }

    /// i386, ARM, both architectures of Annex, and two invalid values.
    private static let others: [UInt32] = [0x4000_0003, 0x4000_0028, 0xC000_003E, 0xC000_00B7, 0, .max]

    /// The x32 calls, the largest and smallest numbers, and their neighbours.
    private static let strange: [Int32] =
        (0...600).map { 0x4000_0000 | $0 } + [.max, .min, .min + 1, -2, -1, 0x3FFF_FFFF]
}
