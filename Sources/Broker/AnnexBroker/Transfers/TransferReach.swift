internal import AnnexBundle
internal import AnnexNames
internal import AnnexPolicy
internal import AnnexPortal
internal import AnnexRegistry

/// The machines that the members' transfers may reach. They are those that the members may reach by themselves.
struct TransferReach: Sendable {
    let registry: InstalledRegistry

    /// The machines that the grant of a member names now; nil if its transfers may reach all other machines. An app runs
    /// outside of a sandbox, so it reaches them anyway.
    func hosts(of member: String) -> [HostRule]? {
        if registry.value.bundlesInUse.contains(where: { $0.identifier == member }) { return nil }
        return registry.grantedHosts(of: member)
    }

    func allows(_ url: String, to member: String) -> Bool { refusal(of: url, to: member) == nil }

    /// Why a member may not begin a transfer with this URL; nil if it may.
    func refusal(of url: String, to member: String) -> PortalError? {
        guard let rules = hosts(of: member) else { return nil }
        guard let place = TransferPlace(url: url) else {
            return PortalError(
                .notAllowed, what: "the URL names no machine of the grant of \(GrantedEntitlements.withHosts)",
                remedy: "use a URL such as https://example.org/, whose machine the grant names")
        }
        if place.isNamed(by: rules) { return nil }
        return PortalError(
            .notAllowed, what: "the grant of \(GrantedEntitlements.withHosts) does not name \(place.rule)",
            remedy: Remedy.host(place.rule, of: member, besides: rules).text)
    }
}
