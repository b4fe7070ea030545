extension Policy {
    /// This policy with every refusal reported. A sandbox that only reports needs it, because there the kernel may not
    /// answer by itself.
    package func refusingAloud() -> Policy {
        var policy = self
        policy.rules = rules.mapValues { $0.map(\.aloud) }
        return policy
    }

    /// Whether one of the policy's own rules allows a call. The calls that every launch needs do not count. The filter
    /// itself lets the one `execveat` of the launch pass, and any later call like it is an attack.
    package func allowsByRule(number: Int32, arguments: [UInt64]) -> Bool {
        guard SystemCall(number: number, architecture: architecture) != nil else { return false }
        return rules[number]?.first { $0.applies(to: arguments) }?.answer == .allow
    }
}

extension CallRule {
    fileprivate var aloud: CallRule {
        guard case .refuse(let errno, reported: false) = answer else { return self }
        return CallRule(
            call: call, conditions: conditions, answer: .refuse(errno: errno, reported: true), reason: reason,
            place: place)
    }
}
