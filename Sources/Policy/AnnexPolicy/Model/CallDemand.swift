/// The demand of a policy's section on one call: the argument must fulfil one of these alternatives.
struct CallDemand: Sendable {
    let argument: String
    let alternatives: [Comparison]
    /// The section as the policy states it, for errors.
    let section: String

    init(argument: String, alternatives: [Comparison], of section: String) {
        self.argument = argument
        self.alternatives = alternatives
        self.section = section
    }
}

extension CallRule {
    /// This rule, narrowed to the cases in which the demand also holds. Each alternative of the result joins one
    /// alternative of the rule with one alternative of the demand.
    func under(_ demand: CallDemand, register: Int) throws(PolicyError) -> CallRule {
        var others = conditions.filter { $0.index != register }
        var alternatives = demand.alternatives
        if let own = conditions.first(where: { $0.index == register }) {
            alternatives = []
            for first in own.alternatives {
                for second in demand.alternatives {
                    switch first.joined(with: second) {
                    case .comparison(let joined): alternatives.append(joined)
                    case .never: continue
                    case .inexpressible:
                        throw PolicyError(
                            "`\(demand.section)` needs a condition on bits or values of "
                                + "`\(demand.argument)`, not on an order",
                            at: place)
                    }
                }
            }
        }
        guard !alternatives.isEmpty else {
            throw PolicyError("the rule allows only calls that `\(demand.section)` forbids: remove it", at: place)
        }
        others.append(CallCondition(index: register, alternatives: alternatives))
        return CallRule(
            call: call, conditions: others, answer: answer, reason: reason, place: place, bound: bound)
    }
}
