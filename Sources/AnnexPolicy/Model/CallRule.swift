/// One statement of a policy about one call.
struct CallRule: Sendable, Hashable {
    let call: String
    /// All must hold; none: the rule applies always.
    let conditions: [CallCondition]
    let answer: CallAnswer
    let reason: String
    let place: PolicyPlace

    func applies(to arguments: [UInt64]) -> Bool {
        conditions.allSatisfy { $0.holds(arguments) }
    }
}
