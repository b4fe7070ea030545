extension Policy {
    /// The same answers, none of them quiet: for a sandbox that only reports, where the kernel may not answer by itself.
    package func refusingAloud() -> Policy {
        var policy = self
        policy.rules = rules.mapValues { $0.map(\.aloud) }
        return policy
    }

    /// Whether one of the policy's own rules allows a call. What every launch needs does not count: the one `execveat`
    /// of the launch passes the filter by itself, and whatever looks like it afterwards is an attack.
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
