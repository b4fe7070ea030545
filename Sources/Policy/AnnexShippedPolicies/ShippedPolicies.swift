public import AnnexPolicy

extension Policy {
    /// A shipped policy that the sources contain already read, compiled and proven. It equals the result of
    /// `shipped(named:)`, without the cost of compiling. Its rules are read from the text only if a caller asks why a
    /// call was refused.
    ///
    /// - Parameters:
    ///   - name: the policy's name, for example `compute`; or `NAME+ENTITLEMENT…` for that policy with what these
    ///     entitlements add.
    ///   - directory: a directory of policies, which replace shipped ones of the same name; nil for none.
    /// - Throws: if there is no such policy or entitlement, or if a policy of the directory cannot be used.
    public static func compiledAhead(
        named name: String, overriding directory: String? = nil, for architecture: Architecture = .current
    ) throws(PolicyError) -> Policy {
        if let directory {
            return try compiledAhead(named: name, from: .standard(overriding: directory), for: architecture)
        }
        if let compiled = CompiledPolicies.named(name) { return compiled.policy(for: architecture) }
        let names = EntitlementNames(name)
        guard !names.entitlements.isEmpty else { return try Policy.shipped(named: name, for: architecture) }
        return try joined(names, for: architecture)
    }

    /// The carried policy with those entitlements that change its filter, and the others joined to it. They leave the
    /// filter as it is.
    private static func joined(
        _ names: EntitlementNames, for architecture: Architecture
    ) throws(PolicyError) -> Policy {
        var fragments: [EntitlementFragment] = []
        for entitlement in names.entitlements {
            fragments.append(try EntitlementFragment.shipped(entitlement, for: architecture))
        }
        let withCalls = EntitlementNames(
            policy: names.policy, entitlements: fragments.filter(\.hasCalls).map(\.entitlement))
        guard let compiled = CompiledPolicies.named(withCalls.joined) else {
            return try Policy.shipped(named: names.joined, for: architecture)
        }
        return try compiled.policy(for: architecture).joined(with: fragments.filter { !$0.hasCalls })
    }

    /// A policy of a library that may replace shipped policies or what they include. If none of its texts is replaced,
    /// the policy that was compiled ahead is used.
    package static func compiledAhead(
        named name: String, from library: PolicyLibrary, for architecture: Architecture = .current
    ) throws(PolicyError) -> Policy {
        if let compiled = CompiledPolicies.named(name), try library.digest(ofPolicy: name) == compiled.digest {
            return compiled.policy(for: architecture)
        }
        return try library.policy(named: name, for: architecture)
    }
}
