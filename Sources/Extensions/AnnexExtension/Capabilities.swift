internal import Glibc

/// The rights that one extension has in addition to the rights that its extension point gives to every extension.
///
/// ```swift
/// guard context.capabilities.has("com.apple.security.network.client") else {
///     return context.cancelRequest(with: NoNetwork())
/// }
/// ```
public struct Capabilities: Sendable, Hashable {
    /// The entitlements in force, sorted. An entitlement is in force if the extension requests it, its extension
    /// point allows it, and the user has granted it. The list does not change while the extension runs.
    public let entitlements: [String]

    /// Whether an entitlement is in force.
    public func has(_ entitlement: String) -> Bool { entitlements.contains(entitlement) }

    /// Whether the extension may connect to other machines.
    public var canUseNetwork: Bool { has("com.apple.security.network.client") }

    init(_ text: String) {
        entitlements = text.split(separator: " ").map(String.init).sorted()
    }

    /// The environment variable in which the broker states the entitlements.
    private static let variable = "ANNEX_ENTITLEMENTS"

    static let ofThisProcess: Capabilities = {
        // SAFETY: the text is copied, and an extension has one thread.
        unsafe Capabilities(getenv(variable).map { unsafe String(cString: $0) } ?? "")
    }()
}

extension ExtensionContext {
    /// The rights that this extension has in addition to the rights that its extension point gives to every
    /// extension. An extension must also work without an entitlement that it requests, because the user may refuse
    /// the entitlement.
    public var capabilities: Capabilities { .ofThisProcess }
}
