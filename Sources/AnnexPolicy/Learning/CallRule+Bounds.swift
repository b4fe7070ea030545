extension CallRule {
    /// The rule in two where some of what it allows can be counted: that part, bounded, and the rest.
    var bounded: [CallRule] {
        if bound != nil || answer != .allow { return [self] }
        guard call == "fcntl", let place = conditions.firstIndex(where: { $0.index == 1 }) else {
            return [with(conditions, call == "flock" ? .locks : nil)]
        }
        let parts = CallBound.locks.parted(conditions[place].alternatives)
        return [(parts.rest, nil), (parts.counted, CallBound.locks)].compactMap { alternatives, bound in
            if alternatives.isEmpty { return nil }
            var conditions = conditions
            conditions[place] = CallCondition(index: 1, alternatives: alternatives)
            return with(conditions, bound)
        }
    }

    private func with(_ conditions: [CallCondition], _ bound: CallBound?) -> CallRule {
        CallRule(call: call, conditions: conditions, answer: answer, reason: reason, place: place, bound: bound)
    }
}
