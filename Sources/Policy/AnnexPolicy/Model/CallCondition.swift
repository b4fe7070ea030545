/// What one argument must be for a rule to apply: any of the alternatives.
struct CallCondition: Sendable, Hashable {
    /// Register, 0…5.
    let index: Int
    let alternatives: [Comparison]

    func holds(_ arguments: [UInt64]) -> Bool {
        let register = index < arguments.count ? arguments[index] : 0
        return alternatives.contains { $0.holds(register) }
    }
}
