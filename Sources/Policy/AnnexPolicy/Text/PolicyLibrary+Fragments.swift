internal import AnnexLinux

extension PolicyLibrary {
    /// The identifiers of the entitlements that this library knows, sorted. Each entitlement has a fragment.
    public var entitlements: [String] { sourcesOfFragments.keys.filter(PolicyFragment.isIdentifier).sorted() }

    /// The names of the fragments that no extension can claim, sorted. `annex run --allow` adds them to a policy.
    public var allowances: [String] { sourcesOfFragments.keys.filter { !PolicyFragment.isIdentifier($0) }.sorted() }

    /// The text of one fragment as it was written; nil if this library does not know the fragment.
    public func text(ofFragment name: String) -> String? { sourcesOfFragments[name]?.text }

    /// What an allowance is for, as the help of `annex run` lists it; nil if this library does not know the allowance, or
    /// if its text cannot be read.
    package func help(ofAllowance name: String) -> String? {
        sourcesOfFragments[name].flatMap { PolicyFragment.help(inText: $0.text, file: $0.file) }
    }

    /// The fragment of that name: the additions of one entitlement or of one allowance to a policy.
    ///
    /// - Throws: an error if this library does not know the fragment, or if its text is wrong.
    public func fragment(
        named name: String, for architecture: Architecture = .current
    ) throws(PolicyError) -> PolicyFragment {
        guard let source = sourcesOfFragments[name] else {
            let kind = PolicyFragment.isIdentifier(name) ? "entitlement" : "allowance"
            let known = kind == "entitlement" ? entitlements : allowances
            throw PolicyError(
                "unknown \(kind) `\(Escaped(name))`; known are: \(known.joined(separator: ", "))",
                suggestion: NearestName.of(name, among: known))
        }
        return try PolicyFragment(text: source.text, file: source.file, architecture: architecture)
    }

    /// The most fragments of one joined name.
    private static let mostFragments = 16

    /// The names in `NAME+ENTITLEMENT…`; nil if the name is the plain name of a policy.
    package func joinedNames(_ name: String) throws(PolicyError) -> JoinedName? {
        // A user's own policy may have the same name as a joined policy. The user's policy then replaces the joined
        // policy, as it would replace any other policy.
        guard !names.contains(name), name.contains("+") else { return nil }
        let joined = JoinedName(name)
        guard joined.fragments.count <= Self.mostFragments else {
            throw PolicyError("the name joins more than \(Self.mostFragments) fragments")
        }
        return joined
    }

    /// The fragments of a joined name.
    package func fragments(
        of names: JoinedName, for architecture: Architecture
    ) throws(PolicyError) -> [PolicyFragment] {
        var all: [PolicyFragment] = []
        for name in names.fragments { all.append(try fragment(named: name, for: architecture)) }
        return all
    }
}

extension PolicyFragment {
    /// The entitlements whose grant can name machines, and the fragments that take their place if it does.
    package static let withNamedHosts = [
        "com.apple.security.network.client": "com.apple.security.network.client.hosts"
    ]

    /// The fragments that entitlements add to a policy.
    /// - Parameter hasHosts: whether the grant names machines.
    package static func names(of entitlements: [String], hasHosts: Bool) -> [String] {
        hasHosts ? entitlements.map { withNamedHosts[$0] ?? $0 } : entitlements
    }

    /// The fragment that an entitlement of this library adds to a policy, for example
    /// `com.apple.security.network.client`.
    ///
    /// - Throws: an error if this library does not know the entitlement.
    public static func shipped(
        _ entitlement: String, for architecture: Architecture = .current
    ) throws(PolicyError) -> PolicyFragment {
        try PolicyLibrary.shipped.fragment(named: entitlement, for: architecture)
    }
}

extension PolicyLibrary {
    /// The names of the policies whose filters are compiled ahead. These are the names of all policies. In addition,
    /// each policy of an extension point is joined with each set of entitlements that changes its filter, except sets
    /// with both forms of one entitlement. The policy for ordinary programs, `tool`, is joined with each allowance that many programs need, and with each pair of
    /// these allowances. The filters for other allowances are compiled when a program starts, which takes some
    /// milliseconds.
    package func namesToCompile() throws(PolicyError) -> [String] {
        var sets: [[String]] = [[]]
        for entitlement in entitlements where try fragment(named: entitlement).changesFilter {
            let other = PolicyFragment.withNamedHosts.first { $0.value == entitlement }?.key
            sets += sets.filter { set in !set.contains { $0 == other } }.map { $0 + [entitlement] }
        }
        let points = names.filter { $0.hasPrefix("com.apple.") }
        let joined = points.flatMap { point in
            sets.filter { !$0.isEmpty }.map { JoinedName(policy: point, fragments: $0).joined }
        }
        return (names + joined + toolsToCompile()).sorted()
    }

    private func toolsToCompile() -> [String] {
        guard names.contains("tool") else { return [] }
        let own = ["jit", "loopback", "network", "sockets"].filter(allowances.contains)
        let pairs = own.flatMap { one in own.map { Set([one, $0]).sorted() } }
        return Set(pairs).map { JoinedName(policy: "tool", fragments: $0).joined }
    }
}
