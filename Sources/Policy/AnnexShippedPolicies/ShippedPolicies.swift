public import AnnexPolicy

extension Policy {
    /// A shipped policy that the program contains already read, compiled and proven. It equals the result of
    /// `shipped(named:)`, without the cost of compiling. Its rules are read from the text only if a caller asks why a
    /// call was refused.
    ///
    /// - Parameters:
    ///   - name: the policy's name, for example `compute`; or `NAME+FRAGMENT…` for that policy with the additions of
    ///     these entitlements and allowances.
    ///   - directory: a directory of policies, which replace shipped policies of the same name; nil if there is none.
    /// - Throws: if there is no such policy or entitlement, or if a policy of the directory cannot be used.
    public static func compiledAhead(
        named name: String, overriding directory: String? = nil, for architecture: Architecture = .current
    ) throws(PolicyError) -> Policy {
        if let directory {
            return try compiledAhead(named: name, from: .standard(overriding: directory), for: architecture)
        }
        return try compiledAhead(named: name, from: .shipped, for: architecture) {
            CompiledPolicies.shipped?.policy(named: $0, for: architecture)
        }
    }

    /// A policy of a library. The library may replace shipped policies or the texts that they include. If none of the
    /// policy's texts is replaced, the policy that was compiled ahead is used.
    package static func compiledAhead(
        named name: String, from library: PolicyLibrary, for architecture: Architecture = .current
    ) throws(PolicyError) -> Policy {
        try compiledAhead(named: name, from: library, for: architecture) { name throws(PolicyError) in
            guard let compiled = CompiledPolicies.shipped?.policy(named: name, for: architecture),
                try library.hasTexts(ofPolicy: name, in: .shipped)
            else { return nil }
            return compiled
        }
    }

    /// - Parameters:
    ///   - texts: the library, which most launches do not need.
    ///   - find: returns the compiled policy of that name, if it was made from the library's texts.
    private static func compiledAhead(
        named name: String, from texts: @autoclosure () -> PolicyLibrary, for architecture: Architecture,
        find: (String) throws(PolicyError) -> Policy?
    ) throws(PolicyError) -> Policy {
        if let compiled = try find(name) { return compiled }
        let library = texts()
        guard let names = try library.joinedNames(name) else {
            return try library.policy(named: name, for: architecture)
        }
        // If a fragment does not change the filter, the policy is looked up without this fragment.
        let fragments = try library.fragments(of: names, for: architecture)
        let withCalls = JoinedName(
            policy: names.policy, fragments: fragments.filter(\.changesFilter).map(\.identifier))
        guard let compiled = try find(withCalls.joined) else {
            return try library.policy(named: name, for: architecture)
        }
        return try compiled.joined(with: fragments.filter { !$0.changesFilter })
    }
}
