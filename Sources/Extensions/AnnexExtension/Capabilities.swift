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

    /// Whether the extension may connect to other machines. The user may have named the machines, and connections to
    /// others then fail.
    public var canUseNetwork: Bool { has("com.apple.security.network.client") }

    /// Whether the extension can begin background transfers: it may use the network and app groups, and the daemon annexd
    /// has launched it. A broker inside a host keeps no transfers.
    public var canTransfer: Bool {
        isOfDaemon && canUseNetwork && has("com.apple.security.application-groups")
    }

    private let isOfDaemon: Bool

    init(_ text: String, isOfDaemon: Bool = false) {
        self.isOfDaemon = isOfDaemon
        entitlements = text.split(separator: " ").map(String.init).sorted()
    }

    /// The environment variable in which the broker states the entitlements.
    private static let variable = "ANNEX_ENTITLEMENTS"

    static let ofThisProcess: Capabilities = {
        // SAFETY: the text is copied, and an extension has one thread.
        unsafe Capabilities(
            getenv(variable).map { unsafe String(cString: $0) } ?? "", isOfDaemon: getenv("ANNEX_TRANSFERS") != nil)
    }()
}

extension WidgetContext {
    /// The rights that this widget has in addition to the rights of every widget. A widget must also work without an
    /// entitlement that it requests.
    public var capabilities: Capabilities { .ofThisProcess }
}

extension ExtensionContext {
    /// The rights that this extension has in addition to the rights that its extension point gives to every
    /// extension. An extension must also work without an entitlement that it requests, because the user may refuse
    /// the entitlement.
    public var capabilities: Capabilities { .ofThisProcess }
}
