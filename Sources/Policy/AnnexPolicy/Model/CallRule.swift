/// One statement of a policy about one call.
package struct CallRule: Sendable, Hashable {
    package let call: String
    /// The rule applies if all conditions hold. A rule without conditions always applies.
    package let conditions: [CallCondition]
    package let answer: CallAnswer
    package let reason: String
    package let place: PolicyPlace
    /// The bound that the broker enforces for an allowed call; nil if the filter allows the call by itself.
    package var bound: CallBound? = nil

    package init(
        call: String, conditions: [CallCondition], answer: CallAnswer, reason: String, place: PolicyPlace,
        bound: CallBound? = nil
    ) {
        self.call = call
        self.conditions = conditions
        self.answer = answer
        self.reason = reason
        self.place = place
        self.bound = bound
    }

    package func applies(to arguments: [UInt64]) -> Bool {
        conditions.allSatisfy { $0.holds(arguments) }
    }
}

/// A condition on one argument: it holds if any of the alternatives holds.
package struct CallCondition: Sendable, Hashable {
    /// The argument's register, 0…5.
    package let index: Int
    package let alternatives: [Comparison]

    package init(index: Int, alternatives: [Comparison]) {
        self.index = index
        self.alternatives = alternatives
    }

    func holds(_ arguments: [UInt64]) -> Bool {
        let register = index < arguments.count ? arguments[index] : 0
        return alternatives.contains { $0.holds(register) }
    }
}

/// How a policy answers a system call.
public enum CallAnswer: Sendable, Hashable {
    case allow
    /// The call fails with `errno` and has no effect. If `reported` is false, the failure is not recorded, because
    /// libraries make such calls only to probe the kernel.
    case deny(errno: Int32, reported: Bool)
    /// The call is reported, and the process is ended. Only an attack makes such a call.
    case end
    /// The process ends itself with `abort()`. If the process is the first process of its PID namespace, the kernel
    /// ignores the signal of `abort()`. So the broker ends the process and reports its end.
    case aborting
}

/// The answers to calls that the policy does not mention.
package struct UnlistedCalls: Sendable, Hashable {
    /// The errno for a call that has a name.
    package let known: Int32
    /// The errno for the number of a call that no kernel known to Annex has. New C libraries try such calls, and use
    /// older calls if the result is ENOSYS.
    package let unknown: Int32
    package let place: PolicyPlace

    package init(known: Int32, unknown: Int32, place: PolicyPlace) {
        self.known = known
        self.unknown = unknown
        self.place = place
    }
}

extension CallRule {
    /// One comparison of one register.
    package struct Part: Sendable {
        let index: Int
        let comparison: Comparison
    }

    /// Every way to choose one alternative for each condition. libseccomp needs a separate rule for each combination,
    /// because it can join comparisons only with "and".
    package var combinations: [[Part]] {
        conditions.reduce([[]]) { combinations, condition in
            combinations.flatMap { combination in
                condition.alternatives.map { combination + [Part(index: condition.index, comparison: $0)] }
            }
        }
    }

    /// The number of combinations; nil if it overflows `Int`.
    private var combinationCount: Int? {
        conditions.reduce(Optional(1)) { count, condition in
            let (product, isTooLarge) = (count ?? 0).multipliedReportingOverflow(by: condition.alternatives.count)
            return count == nil || isTooLarge ? nil : product
        }
    }

    /// The most combinations that one call and one policy may have. Both numbers are limited for two reasons. All code
    /// that reads rules examines each combination. The kernel accepts 4,096 instructions, and each combination needs at
    /// least two.
    static let mostCombinations = (ofCall: 1024, ofPolicy: 4096)

    /// Counts the combinations of one call's rules.
    /// - Returns: the number of combinations.
    /// - Throws: an error if there are more than `mostCombinations.ofCall`.
    @discardableResult
    static func count(_ rules: [CallRule]) throws(PolicyError) -> Int {
        var sum = 0
        for rule in rules {
            // Each count is checked before it is added, so the sum cannot overflow.
            guard let count = rule.combinationCount, count <= mostCombinations.ofCall,
                sum + count <= mostCombinations.ofCall
            else {
                throw PolicyError(
                    "`\(rule.call)` has more than \(mostCombinations.ofCall) combinations of values: state fewer "
                        + "values, or a mask. Each value of one argument is combined with each of another",
                    at: rule.place)
            }
            sum += count
        }
        return sum
    }
}
