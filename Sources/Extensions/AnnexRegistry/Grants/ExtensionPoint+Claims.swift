internal import AnnexBundle
internal import AnnexLinux

extension ExtensionPoint {
    /// Checks that an extension asks only for entitlements that its point allows.
    ///
    /// - Throws: an error that names the point and the first entitlement that it does not allow.
    func checkEntitlements(of bundle: ExtensionBundle) throws(BundleError) {
        if let name = refused(of: bundle.entitlements.names).first {
            let allowed = (defaultEntitlements + allowedEntitlements).map(\.rawValue).sorted()
            throw bundle.fault(
                entitlement: name, what: "is not allowed to extensions of \(identifier)",
                remedy: allowed.isEmpty
                    ? "remove it: this point allows no entitlements"
                    : "remove it. The point allows \(Self.list(allowed))")
        }
        try OpenAccess.check(bundle)
    }

    private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}

/// A keyboard sees everything that its user types. So it has the network and the containers of groups only if it
/// declares open access, which hosts show to the user.
private enum OpenAccess {
    private static let point = "com.apple.keyboard-service"
    private static let attribute = "RequestsOpenAccess"
    private static let needing: [Entitlement] = [.networkClient, .applicationGroups]

    static func check(_ bundle: ExtensionBundle) throws(BundleError) {
        guard bundle.extensionPoint == point,
            let name = needing.map(\.rawValue).first(where: bundle.entitlements.names.contains),
            try bundle.attributes()[attribute] != .boolean(true)
        else { return }
        throw bundle.fault(
            entitlement: name, what: "is for keyboards with open access, which this one does not request",
            remedy: "set NSExtensionAttributes.\(attribute) to true, or remove the entitlement")
    }
}
