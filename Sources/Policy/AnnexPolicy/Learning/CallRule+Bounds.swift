extension CallRule {
    /// This rule, split in two if the broker can count some of what it allows: the bounded part and the rest.
    var bounded: [CallRule] {
        if bound != nil || answer != .allow { return [self] }
        let choice = conditions.first { $0.index == 1 }
        // `flock` without a condition can be split, because one bit separates the counted operations. No condition can
        // express all commands of `fcntl` but the counted ones.
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

    /// No flag at all: the rest when `LOCK_EX` alone is split off. It is no operation, so it needs no rule.
    private static let nothing = Comparison.masked(mask: 0xFFFF_FFFF, value: 0)

    private func with(_ conditions: [CallCondition], _ bound: CallBound?) -> CallRule {
        CallRule(call: call, conditions: conditions, answer: answer, reason: reason, place: place, bound: bound)
    }
}
