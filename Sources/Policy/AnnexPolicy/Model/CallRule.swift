/// One statement of a policy about one call.
struct CallRule: Sendable, Hashable {
    let call: String
    /// All must hold; none: the rule applies always.
    let conditions: [CallCondition]
    let answer: CallAnswer
    let reason: String
    let place: PolicyPlace
    /// What it is counted against, where it allows; nil: the kernel lets it pass by itself.
    var bound: CallBound? = nil

    func applies(to arguments: [UInt64]) -> Bool {
        conditions.allSatisfy { $0.holds(arguments) }
    }
}
