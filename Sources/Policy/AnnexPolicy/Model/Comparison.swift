/// One comparison of a 64-bit register, as seccomp can make it.
package enum Comparison: Sendable, Hashable {
    /// `register & mask == value`
    case masked(mask: UInt64, value: UInt64)
    case not(UInt64)
    case below(UInt64)
    case atMost(UInt64)
    case above(UInt64)
    case atLeast(UInt64)

    package func holds(_ register: UInt64) -> Bool {
        switch self {
        case .masked(let mask, let value): register & mask == value
        case .not(let value): register != value
        case .below(let bound): register < bound
        case .atMost(let bound): register <= bound
        case .above(let bound): register > bound
        case .atLeast(let bound): register >= bound
        }
    }

    /// Register values around each point at which the comparison's result changes, in both 32-bit halves.
    package var boundaries: [UInt64] {
        let bound =
            switch self {
            case .masked(_, let value), .not(let value), .below(let value), .atMost(let value), .above(let value),
                .atLeast(let value):
                value
            }
        var edges = [0, bound, bound &- 1, bound &+ 1, bound ^ (1 << 32), bound | 0xFFFF_FFFF_0000_0000, .max]
        if case .masked(let mask, _) = self {
            // If the mask covers a whole register or its lower half, it is enough to flip the first and the last bit of
            // each half. With any other mask, the result can change at each bit.
            let whole = mask == .max || mask == 0xFFFF_FFFF
            let bits: [UInt64] = whole ? [0, 31, 32, 63] : Array(0..<64)
            edges += [mask, ~mask, bound | ~mask] + bits.map { bound ^ (1 << $0) }
        }
        return edges
    }
}

extension Comparison {
    /// A register value for which the comparison holds. If no value fits, as for `below(0)`, the value is arbitrary.
    var fitting: UInt64 {
        switch self {
        case .masked(_, let value), .atMost(let value), .atLeast(let value): value
        case .not(let value), .above(let value): value &+ 1
        case .below(let value): value &- 1
        }
    }

    /// The result if two comparisons of one register must hold at the same time.
    enum Joined: Sendable, Hashable {
        case comparison(Comparison)
        /// The comparisons contradict each other.
        case never
        /// No single comparison expresses both comparisons.
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
