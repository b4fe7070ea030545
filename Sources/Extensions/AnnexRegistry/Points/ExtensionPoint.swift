package import AnnexBundle
package import AnnexPolicy

/// An extension point: a task that extensions perform for hosts, for example photo editing. A point is data that is
/// read from a file. The point chooses the policy of its extensions. An extension chooses only its point.
package struct ExtensionPoint: Sendable, Hashable {
    /// The identifier in reverse DNS, which an extension states as `NSExtensionPointIdentifier`.
    package let identifier: String
    /// The name to show to a user.
    package let name: String
    /// The task of the point's extensions, in one sentence.
    package let summary: String
    /// The name of the policy that the point's extensions run under.
    package let policy: String
    /// Whether an extension is on if the user has not switched it on or off.
    package let isOnByDefault: Bool
    /// Which apps an extension may open with a URL.
    package let openURL: URLOpening
    /// Whether the input of the extensions is private, for example what the user types. If so, Annex keeps nothing that
    /// the extensions print or receive.
    package let hasPrivateInput: Bool
    /// Entitlements that are in force without the user's grant.
    package let defaultEntitlements: [Entitlement]
    /// Entitlements that the user may grant.
    package let allowedEntitlements: [Entitlement]
    /// The devices that an extension may claim.
    package let media: [Medium]
    /// The known keys of `NSExtensionAttributes` with their kinds. Other keys are kept, but not checked.
    package let attributes: [String: AttributeKind]
    /// The names of the message types that host and extension exchange.
    package let messages: [String]
    /// The limits of this point that differ from the limits of the policy.
    package let limits: [LimitName: LimitValue]
    /// Whether the file says that this point replaces the shipped point with the same identifier.
    package let replacesShipped: Bool
    /// The place of each key in the file, for findings.
    package let places: [String: PolicyPlace]

    /// Whether an extension of this point may ask for an entitlement.
    package func accepts(_ entitlement: Entitlement) -> Bool {
        entitlement == .appSandbox || defaultEntitlements.contains(entitlement)
            || allowedEntitlements.contains(entitlement)
    }

    /// A policy with the limits of this point.
    /// - Throws: if a time limit is `none`. A host would wait for such an extension for ever.
    package func limiting(_ policy: Policy) throws(PolicyError) -> Policy {
        var policy = policy
        policy.limits = policy.limits.replaced(by: limits)
        let endless = policy.limits.values.first { $0.name.mayBeNone && PolicyLimits.isNone($0.value.time) }
        guard let endless else { return policy }
        throw PolicyError(
            "the limit `\(endless.name.rawValue)` is none, and an extension must have this limit: state it under "
                + "`limits` of the extension point \(identifier), or in the policy \(policy.name)",
            at: places["limits"] ?? places["policy"])
    }
}

/// Which apps an extension may open with a URL.
package enum URLOpening: String, Sendable, Hashable, CaseIterable {
    case none
    case containingApp = "containing-app"
    case any
    /// The extension may open any app, but only for a moment after the user acted in the extension's view.
    case anyAfterAction = "any-after-action"
}

/// A device of the user that an extension may claim.
package enum Medium: String, Sendable, Hashable, CaseIterable {
    case camera, microphone

    /// The only point whose extensions may claim a medium.
    static let onlyPoint = "com.apple.message-payload-provider"
}

/// The kind of value that a key of `NSExtensionAttributes` has.
package enum AttributeKind: String, Sendable, Hashable, CaseIterable {
    case string, boolean, integer
    /// An integer or a real number.
    case number
    case array, dictionary
    case any
}
