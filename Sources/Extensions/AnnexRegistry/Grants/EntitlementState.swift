internal import AnnexBundle
package import AnnexPolicy

/// The state of one entitlement of an extension. The entitlement is in force if the extension asks for it, the point
/// allows it, and the user has granted it. A default entitlement of the point is always in force.
package struct EntitlementState: Sendable, Hashable {
    /// The entitlement's identifier, as the bundle states it.
    package let name: String
    /// Whether the extensions of the point may have the entitlement.
    package let isAllowed: Bool
    /// Whether the user has granted the entitlement, or the point gives it to each of its extensions.
    package let isGranted: Bool
    /// The machines that the grant names; empty if it names none.
    package let hosts: [HostRule]

    package var isInForce: Bool { isAllowed && isGranted }

    package init(_ name: String, isAllowed: Bool, isGranted: Bool, hosts: [HostRule] = []) {
        self.name = name
        self.isAllowed = isAllowed
        self.isGranted = isGranted
        self.hosts = hosts
    }
}

extension ExtensionPoint {
    /// The states of all entitlements that an extension asks for, and of the point's default entitlements, sorted by
    /// name. The sandbox is always on, so its entitlement has no state.
    ///
    /// - Parameters:
    ///   - claimed: the identifiers in the extension's bundle. They may include unknown identifiers.
    ///   - granted: what the user has granted. If the bundle does not ask for a granted entitlement,
    ///     the grant has no effect.
    package func entitlements(claimed: [String], granted: GrantedEntitlements) -> [EntitlementState] {
        let defaults = Set(defaultEntitlements.map(\.rawValue))
        let names = Set(claimed).union(defaults).subtracting([Entitlement.appSandbox.rawValue])
        return names.sorted().map { name in
            EntitlementState(
                name, isAllowed: allows(name), isGranted: defaults.contains(name) || granted.names.contains(name),
                hosts: name == GrantedEntitlements.withHosts ? granted.hosts : [])
        }
    }

    /// The entitlements that an extension asks for but its point does not allow.
    package func refused(of claimed: [String]) -> [String] { claimed.filter { !allows($0) } }

    private func allows(_ name: String) -> Bool { Entitlement(rawValue: name).map(accepts) ?? false }
}
