/// One statement of a policy about one call.
struct CallRule: Sendable, Hashable {
    let call: String
    /// The rule applies if all conditions hold. A rule without conditions always applies.
    let conditions: [CallCondition]
    let answer: CallAnswer
    let reason: String
    let place: PolicyPlace
    /// The budget that an allowed call is counted against; nil if the kernel lets the call pass by itself.
    var bound: CallBound? = nil

    func applies(to arguments: [UInt64]) -> Bool {
        conditions.allSatisfy { $0.holds(arguments) }
    }
}
