extension Comparison {
    /// What two comparisons of one register come to when both must hold.
    enum Joined: Sendable, Hashable {
        case comparison(Comparison)
        /// They contradict each other.
        case never
        /// No single comparison says it.
        case inexpressible
    }

    func joined(with other: Comparison) -> Joined {
        guard case .masked(let mask, let value) = self, case .masked(let otherMask, let otherValue) = other else {
            return .inexpressible
        }
        // Where both look, they must want the same.
        guard value & otherMask == otherValue & mask else { return .never }
        return .comparison(.masked(mask: mask | otherMask, value: value | otherValue))
    }

    /// Whether no register with all of these bits passes.
    func bars(_ bits: UInt64) -> Bool {
        guard case .masked(let mask, let value) = self else { return false }
        return mask & bits != 0 && value & mask & bits != mask & bits
    }
}
