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
            return try PolicyLibrary.standard(overriding: directory).policy(named: name, for: architecture)
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
}

/// The extension points of this version of Annex. Each has a shipped policy of the same name.
///
/// Every other policy is a general profile, for `annex run` and for policies that include it. A bundle chooses its own
/// point, so it cannot get a profile that is not listed here.
package enum ExtensionPoints {
    package static let declared: Set = [
        "com.apple.fileprovider-nonui", "com.apple.fileprovider-ui", "com.apple.intents-service",
        "com.apple.keyboard-service", "com.apple.message-payload-provider", "com.apple.photo-editing",
        "com.apple.share-services", "com.apple.ui-services", "com.apple.usernotifications.content-extension",
        "com.apple.widget-extension",
    ]

    /// The point that a wrong name probably means; nil if no name is close.
    package static func nearest(to name: String) -> String? {
        // All names begin with the same stem, so only the rest is compared.
        let stems = declared.map { $0.dropFirst(stem.count) }.map(String.init)
        let ownStem = name.hasPrefix(stem) ? String(name.dropFirst(stem.count)) : name
        return NearestName.of(ownStem, among: stems).map { stem + $0 }
    }

    private static let stem = "com.apple."
}
