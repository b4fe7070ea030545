extension Policy {
    /// What a writer of this policy should look at again: rules that never decide, calls and paths that open more than
    /// they seem to, statements that contradict each other. Nothing of it keeps the policy from being used.
    public func findings() -> [PolicyFinding] { PolicyLint(policy: self).findings() }
}

extension PolicyLibrary {
    /// All that there is to say about one policy: the mistakes that keep it from being used, or the findings.
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
