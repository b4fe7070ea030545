internal import AnnexBundle
internal import AnnexLinux

extension ExtensionPoint {
    /// An error for each entitlement that an extension asks for and cannot have at this point.
    func entitlementFaults(of bundle: ExtensionBundle) throws(BundleError) -> [BundleError] {
        let allowed = (defaultEntitlements + allowedEntitlements).map(\.rawValue).sorted()
        let remedy =
            allowed.isEmpty
            ? "remove it: this point allows no entitlements" : "remove it. The point allows \(Self.list(allowed))"
        let refused = refused(of: bundle.entitlements.names)
        return try refused.map { name in
            bundle.fault(entitlement: name, what: "is not allowed to extensions of \(identifier)", remedy: remedy)
        } + OpenAccess.faults(of: bundle).filter { fault in !refused.contains { $0 == fault.key } }
    }

    private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}

/// A keyboard can read everything that its user types. So a keyboard may use the network and the containers of groups
/// only if it declares open access. Hosts show this declaration to the user.
private enum OpenAccess {
    private static let point = "com.apple.keyboard-service"
    private static let attribute = "RequestsOpenAccess"
    private static let needing: [Entitlement] = [.networkClient, .applicationGroups]

    static func faults(of bundle: ExtensionBundle) throws(BundleError) -> [BundleError] {
        guard bundle.extensionPoint == point else { return [] }
        let names = needing.map(\.rawValue).filter(bundle.entitlements.names.contains)
        guard !names.isEmpty, try bundle.attributes()[attribute] != .boolean(true) else { return [] }
        return names.map { name in
            bundle.fault(
                entitlement: name, what: "is for keyboards with open access, which this one does not request",
                remedy: "set NSExtensionAttributes.\(attribute) to true, or remove the entitlement")
        }
    }
}
