/// A condition on one argument: it holds if any of the alternatives holds.
struct CallCondition: Sendable, Hashable {
    /// The argument's register, 0…5.
    let index: Int
    let alternatives: [Comparison]

    func holds(_ arguments: [UInt64]) -> Bool {
        let register = index < arguments.count ? arguments[index] : 0
        return alternatives.contains { $0.holds(register) }
    }
}
