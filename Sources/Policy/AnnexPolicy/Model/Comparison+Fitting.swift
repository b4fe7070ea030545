extension Comparison {
    /// A register value for which the comparison holds, if there is one.
    var fitting: UInt64 {
        switch self {
        case .masked(_, let value), .atMost(let value), .atLeast(let value): value
        case .not(let value), .above(let value): value &+ 1
        case .below(let value): value &- 1
        }
    }
}
