extension Comparison {
    /// The result of requiring two comparisons of one register at once.
    enum Joined: Sendable, Hashable {
        case comparison(Comparison)
        /// They contradict each other.
        case never
        /// No single comparison expresses both.
        case inexpressible
    }

    func joined(with other: Comparison) -> Joined {
        guard case .masked(let mask, let value) = self, case .masked(let otherMask, let otherValue) = other else {
            return .inexpressible
        }
        // In the bits that both masks cover, both values must agree.
        guard value & otherMask == otherValue & mask else { return .never }
        return .comparison(.masked(mask: mask | otherMask, value: value | otherValue))
    }

    /// Whether the comparison fails for every register value that has all of these bits.
    func bars(_ bits: UInt64) -> Bool {
        guard case .masked(let mask, let value) = self else { return false }
        return mask & bits != 0 && value & mask & bits != mask & bits
    }
}
