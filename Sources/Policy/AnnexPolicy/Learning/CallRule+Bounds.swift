extension CallRule {
    /// The rule in two where some of what it allows can be counted: that part, bounded, and the rest.
    var bounded: [CallRule] {
        if bound != nil || answer != .allow { return [self] }
        let choice = conditions.first { $0.index == 1 }
        // Whatever the operation of `flock` is; which commands of `fcntl` those are, no condition could say.
        let alternatives = choice?.alternatives ?? (call == "flock" ? [.masked(mask: 0, value: 0)] : [])
        guard !alternatives.isEmpty, let parts = CallBound.locks.parted(call, alternatives) else { return [self] }
        let others = conditions.filter { $0.index != 1 }
        return [(parts.rest.filter { $0 != Self.nothing }, nil), (parts.counted, CallBound.locks)].compactMap {
            alternatives, bound in
            if alternatives.isEmpty { return nil }
            let conditions = others + [CallCondition(index: 1, alternatives: alternatives)]
            return with(conditions.sorted { $0.index < $1.index }, bound)
        }
    }

    /// No flag at all, which is left of `LOCK_EX` where it is parted, and is no operation.
    private static let nothing = Comparison.masked(mask: 0xFFFF_FFFF, value: 0)

    private func with(_ conditions: [CallCondition], _ bound: CallBound?) -> CallRule {
        CallRule(call: call, conditions: conditions, answer: answer, reason: reason, place: place, bound: bound)
    }
}
