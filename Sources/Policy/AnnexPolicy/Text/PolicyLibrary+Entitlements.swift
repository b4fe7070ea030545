extension PolicyLibrary {
    /// The identifiers of the entitlements that this library knows, sorted.
    public var entitlements: [String] { fragments.keys.sorted() }

    /// The text of one entitlement's fragment as it was written; nil if this library does not know the entitlement.
    public func text(ofEntitlement name: String) -> String? { fragments[name]?.text }

    /// The fragment that one entitlement adds to a policy.
    ///
    /// - Throws: an error if this library does not know the entitlement, or if its text is wrong.
    public func fragment(
        of entitlement: String, for architecture: Architecture = .current
    ) throws(PolicyError) -> EntitlementFragment {
        guard let source = fragments[entitlement] else {
            throw PolicyError(
                "unknown entitlement `\(entitlement)`", suggestion: NearestName.of(entitlement, among: fragments.keys))
        }
        return try EntitlementFragment(text: source.text, file: source.file, architecture: architecture)
    }

    /// The most entitlements of one joined name.
    private static let mostEntitlements = 16

    /// The names in `NAME+ENTITLEMENT…`; nil if the name is the plain name of a policy.
    package func joinedNames(_ name: String) throws(PolicyError) -> EntitlementNames? {
        // A user's own policy may have the same name as a joined policy. It then replaces the joined policy, as it
        // would replace any other policy.
        guard !names.contains(name), name.contains("+") else { return nil }
        let joined = EntitlementNames(name)
        guard joined.entitlements.count <= Self.mostEntitlements else {
            throw PolicyError("the name joins more than \(Self.mostEntitlements) entitlements")
        }
        return joined
    }

    /// The fragments of a joined name.
    package func fragments(
        of names: EntitlementNames, for architecture: Architecture
    ) throws(PolicyError) -> [EntitlementFragment] {
        var all: [EntitlementFragment] = []
        for name in names.entitlements { all.append(try fragment(of: name, for: architecture)) }
        return all
    }
}

extension EntitlementFragment {
    /// The fragment that an entitlement of this library adds to a policy, for example
    /// `com.apple.security.network.client`.
    ///
    /// - Throws: an error if this library does not know the entitlement.
    public static func shipped(
        _ entitlement: String, for architecture: Architecture = .current
    ) throws(PolicyError) -> EntitlementFragment {
        try PolicyLibrary.shipped.fragment(of: entitlement, for: architecture)
    }
}

extension PolicyLibrary {
    /// The names of the policies whose filters are compiled ahead. These are all policies. In addition, each policy of
    /// an extension point is joined with each set of entitlements that changes its filter.
    package func namesToCompile() throws(PolicyError) -> [String] {
        var sets: [[String]] = [[]]
        for entitlement in entitlements where try fragment(of: entitlement).hasCalls {
            sets += sets.map { $0 + [entitlement] }
        }
        let points = names.filter { $0.hasPrefix("com.apple.") }
        let joined = points.flatMap { point in
            sets.filter { !$0.isEmpty }.map { EntitlementNames(policy: point, entitlements: $0).joined }
        }
        return (names + joined).sorted()
    }
}
