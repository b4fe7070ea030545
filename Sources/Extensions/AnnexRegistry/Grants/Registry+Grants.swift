internal import AnnexBundle
internal import AnnexLinux
package import AnnexPolicy

/// The entitlements that the user has granted.
extension Registry {
    /// The state of each entitlement of an extension, sorted by name.
    package func entitlements(of record: ExtensionRecord) -> [EntitlementState] {
        record.point?.entitlements(
            claimed: record.bundle?.entitlements.names ?? [], granted: grants[Self.folded(record.identifier)] ?? [])
            ?? []
    }

    /// The entitlements that are in force for an extension, sorted.
    package func entitlementsInForce(for record: ExtensionRecord) -> [String] {
        entitlements(of: record).filter(\.isInForce).map(\.name)
    }

    /// The machines that the grant in force for an extension names. If there are none, it is for all other machines.
    package func hostsInForce(for record: ExtensionRecord) -> [HostRule] {
        entitlements(of: record).filter(\.isInForce).flatMap(\.hosts)
    }

    /// Grants or revokes entitlements of an extension. New rights take effect at the extension's next launch. Machines
    /// that are taken back are closed to its processes at once. A parked process of the extension is not used again.
    ///
    /// - Parameter hosts: the machines that a grant of `com.apple.security.network.client` names, in place of those
    /// that
    ///   it named before. If there are none, the grant is for all other machines. A revocation takes these machines
    /// back,
    ///   and the whole entitlement if no machine remains.
    /// - Returns: the extension's app as it is recorded now.
    /// - Throws: `wrongEntitlement` if the extension does not ask for the entitlement, or if the point does not allow
    ///   it. `wrongEntitlement` is also thrown if the point gives the entitlement to each of its extensions, or if the
    ///   machines are wrong. In these cases nothing has changed.
    package mutating func setGranted(
        _ isGranted: Bool, entitlements names: [String], hosts: [HostRule] = [], for identifier: String
    ) throws(RegistryError) -> KnownApp {
        let record = try found(identifier)
        for name in names { try check(name, of: record) }
        try check(hosts, for: names, of: record)
        let key = Self.folded(record.identifier)
        let old = grants[key] ?? []
        var new = old
        if isGranted {
            new.grant(names, hosts: hosts)
        } else if hosts.isEmpty {
            new.revoke(names)
        } else {
            new.revoke(names.filter { $0 != GrantedEntitlements.withHosts })
            try new.revoke(hosts: hosts, of: record.identifier)
        }
        if new != old {
            grants[key] = new.isEmpty ? nil : new
            renumber(record)
        }
        guard let known = known(record.info.containingApp) else {
            throw .unknownApp(identifier, installed: appIdentifiers)
        }
        return known
    }

    /// Grants each of the entitlements to those extensions of an installation that ask for the entitlement and whose
    /// point allows it.
    package mutating func grant(_ names: [String], to installation: Installation) throws(RegistryError) -> Installation
    {
        guard installation.isElected, !names.isEmpty else { return installation }
        for record in installation.records {
            let grantable = grantable(of: record).filter(names.contains)
            guard !grantable.isEmpty else { continue }
            grants[Self.folded(record.identifier), default: []].add(grantable)
        }
        return recorded(installation)
    }

    /// Ends all grants of an installation's extensions, because another team signs the app from now on. The user made
    /// these grants to extensions of the former team.
    package mutating func endGrants(of installation: Installation) -> Installation {
        guard installation.isElected else { return installation }
        var ended = recorded(installation)
        for record in installation.records {
            let gone = grants.removeValue(forKey: Self.folded(record.identifier)) ?? []
            ended.endedGrants[record.identifier, default: []].formUnion(gone.names)
        }
        return recorded(ended)
    }

    /// The same installation, with the app as it is recorded now. If a grant ended and was then made again,
    /// `endedGrants` does not list it.
    private func recorded(_ installation: Installation) -> Installation {
        guard let known = known(installation.known.identifier) else { return installation }
        return Installation(
            known: known, records: installation.records, dropped: installation.dropped,
            forgotten: installation.forgotten, isElected: installation.isElected,
            endedGrants: installation.endedGrants.reduce(into: [:]) { rest, ended in
                let names = ended.value.subtracting(grants[Self.folded(ended.key)]?.names ?? [])
                if !names.isEmpty { rest[ended.key] = names }
            })
    }

    /// The entitlements of an extension that the user may grant or revoke.
    private func grantable(of record: ExtensionRecord) -> [String] {
        guard let point = record.point, let claimed = record.bundle?.entitlements.names else { return [] }
        let defaults = point.defaultEntitlements.map(\.rawValue)
        return entitlements(of: record).filter {
            $0.isAllowed && claimed.contains($0.name) && !defaults.contains($0.name)
        }
        .map(\.name)
    }

    private func check(_ name: String, of record: ExtensionRecord) throws(RegistryError) {
        let grantable = grantable(of: record)
        guard !grantable.contains(name) else { return }
        let isDefault = record.point?.defaultEntitlements.contains { $0.rawValue == name } ?? false
        let shown = Escaped(name, limit: 128)
        throw RegistryError(
            .wrongEntitlement,
            what: isDefault
                ? "has \(shown) like every extension of \(record.info.extensionPoint)" : "does not ask for \(shown)",
            place: record.identifier,
            remedy: grantable.isEmpty
                ? "it asks for no entitlement that you could grant" : "it asks for \(grantable.joined(separator: ", "))"
        )
    }

    private func check(
        _ hosts: [HostRule], for names: [String], of record: ExtensionRecord
    ) throws(RegistryError) {
        guard !hosts.isEmpty else { return }
        let what: String? =
            if !names.contains(GrantedEntitlements.withHosts) {
                "can have named machines only with \(GrantedEntitlements.withHosts), which is not named here"
            } else if hosts.count > GrantedEntitlements.mostHosts {
                "can have at most \(GrantedEntitlements.mostHosts) named machines"
            } else if hosts.reduce(0, { $0 + $1.description.utf8.count }) > GrantedEntitlements.mostBytes {
                "can have named machines whose texts have at most \(GrantedEntitlements.mostBytes) bytes together"
            } else {
                nil
            }
        guard let what else { return }
        throw RegistryError(
            .wrongEntitlement, what: what, place: record.identifier,
            remedy: names.contains(GrantedEntitlements.withHosts)
                ? "name fewer machines, or all machines of a domain by `*.`"
                : "name \(GrantedEntitlements.withHosts), or no machines")
    }

    /// Forgets the grants of entitlements that an extension no longer asks for. If a later version asks for one of
    /// these entitlements again, the user must decide again.
    mutating func keepGrants(of record: ExtensionRecord) {
        let key = Self.folded(record.identifier)
        guard var kept = grants[key] else { return }
        kept.keep(record.bundle?.entitlements.names ?? [])
        grants[key] = kept.isEmpty ? nil : kept
    }

    /// The grants of some extensions, by their identifiers.
    func granted(to records: [ExtensionRecord]) -> [String: GrantedEntitlements] {
        var all: [String: GrantedEntitlements] = [:]
        for record in records { all[record.identifier] = grants[Self.folded(record.identifier)] }
        return all
    }
}
