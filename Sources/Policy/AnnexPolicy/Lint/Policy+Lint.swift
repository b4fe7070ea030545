extension Policy {
    /// The findings that the policy's author should examine: rules that never decide, calls and paths that allow more
    /// than they seem to, and statements that contradict each other. A finding does not keep the policy from being
    /// used.
    public func findings() -> [PolicyFinding] { PolicyLint(policy: self).findings() }
}

extension PolicyLibrary {
    /// The findings about one policy: the mistakes that keep it from being used or, if there are none, the warnings.
    public func findings(about name: String, for architecture: Architecture = .current) -> [PolicyFinding] {
        let mistakes = mistakes(in: name, for: architecture)
        guard mistakes.isEmpty else { return mistakes.map { PolicyFinding($0) } }
        do throws(PolicyError) {
            let policy = try policy(named: name, for: architecture)
            _ = try policy.filter()
            return policy.findings()
        } catch {
            return [PolicyFinding(error)]
        }
    }
}
