package import AnnexBrokerAPI
internal import AnnexBundle
internal import AnnexLaunch
internal import AnnexPolicy
package import AnnexRegistry

extension Broker {
    /// The policy for the extension's point and the entitlements in force, with the limits of the point and the host.
    /// If a bundle names a general policy, such as `tool`, as its extension point, the bundle is rejected.
    func policy(for record: ExtensionRecord) throws(BrokerError) -> Policy {
        let now = registry.value
        return try policy(
            for: record, with: now.entitlementsInForce(for: record), hosts: now.hostsInForce(for: record))
    }

    /// The policy for `entitlements` instead of the entitlements that are in force now.
    /// - Parameter hosts: the machines that the grant of the network names; none if it is for all other machines.
    func policy(
        for record: ExtensionRecord, with entitlements: [String], hosts: [HostRule] = []
    ) throws(BrokerError) -> Policy {
        do throws(PolicyError) {
            guard let point = record.point else {
                throw PolicyError("\(record.info.extensionPoint) is not an extension point")
            }
            let fragments = PolicyFragment.names(of: entitlements, hasHosts: !hosts.isEmpty)
            var policy = try policies.policy(of: point, with: fragments, wishes).allowing(hosts)
            wishes.apply(to: &policy.limits)
            return policy
        } catch {
            throw BrokerError(.invalidPolicy, what: "\(error)", place: record.identifier)
        }
    }

    /// Reads and compiles the policies of an extension. There is one policy without the user's grants, one with each
    /// single grant, and one with all possible grants. So a launch finds the policies ready. If one of these policies
    /// is invalid, the change of the registry fails.
    func prepare(_ record: ExtensionRecord) throws(BrokerError) {
        guard record.point != nil, record.bundle != nil else { return }
        let states = registry.value.entitlements(of: record).filter(\.isAllowed)
        let defaults = record.point?.defaultEntitlements.map(\.rawValue) ?? []
        let grantable = states.map(\.name).filter { !defaults.contains($0) }
        let sets = [[]] + grantable.map { [$0] } + (grantable.count > 1 ? [grantable] : [])
        for set in sets {
            try compile(policy(for: record, with: defaults + set), for: record)
            if PolicyFragment.names(of: set, hasHosts: true) != set {
                try compile(policy(for: record, with: defaults + set, hosts: [Self.anyHost]), for: record)
            }
        }
    }

    /// A machine that stands for any one. The filter is the same for all of them.
    private static let anyHost = HostRule(.address([192, 0, 2, 1]), port: nil)

    private func compile(_ policy: Policy, for record: ExtensionRecord) throws(BrokerError) {
        // If this machine lacks seccomp and the host has waived that layer, there is nothing to compile.
        guard launcher.gives(.seccomp) else { return }
        do throws(PolicyError) {
            _ = try policy.filter()
        } catch {
            throw BrokerError(.invalidPolicy, what: "\(error)", place: record.identifier)
        }
    }

    /// The environment variable that tells an extension the entitlements in force.
    private static let variable = "ANNEX_ENTITLEMENTS"

    /// Tells the extension which entitlements are in force, and tells the sandbox which other entitlements the
    /// extension could get.
    func state(
        _ inForce: [String], hosts: [HostRule], asEntitlementsOf record: ExtensionRecord,
        in configuration: inout SandboxConfiguration
    ) {
        configuration.environment[Self.variable] = Array(inForce.joined(separator: " ").utf8)
        // Tells the extension that its broker keeps background transfers.
        if transfers != nil { configuration.environment["ANNEX_TRANSFERS"] = Array("1".utf8) }
        configuration.grantee = record.identifier
        guard let point = record.point else { return }
        let claimed = record.bundle?.entitlements.names ?? []
        for name in point.allowedEntitlements.map(\.rawValue) where !inForce.contains(name) {
            // If the policy for an entitlement cannot be made, the sandbox does not offer the entitlement.
            guard let policy = try? policy(for: record, with: inForce + [name], hosts: hosts) else { continue }
            configuration.offers.append(
                PolicyOffer(
                    policy,
                    remedy: .entitlement(name, of: record.identifier, isClaimed: claimed.contains(name))))
        }
    }
}

extension Broker {
    package func setGranted(
        _ isGranted: Bool, entitlements: [String], hosts: [String], for identifier: String
    ) throws(BrokerError) -> InstalledExtension {
        try setGranted(isGranted, entitlements: entitlements, hosts: hosts, for: identifier) { _ in }
    }

    /// Grants or revokes entitlements of an extension. The broker ends a parked process of the extension at once. A
    /// process that is running now serves no further session. If it was launched with named machines, it loses those that
    /// are not granted any more, and its connections to them.
    ///
    /// - Parameter keep: records the change in a place that outlasts the broker. If `keep` throws, nothing has changed.
    package func setGranted(
        _ isGranted: Bool, entitlements: [String], hosts: [String], for identifier: String,
        recording keep: (KnownApp) throws(BrokerError) -> Void
    ) throws(BrokerError) -> InstalledExtension {
        let record = try found(identifier)
        // A rejected extension gets no grant. If its bundle could not be read, even its identifier is not certain.
        if let rejection = record.rejection { throw rejection }
        let rules = try Self.rules(hosts, for: record.identifier)
        let granted = Set(registry.value.entitlementsInForce(for: record)).union(isGranted ? entitlements : [])
        // If the extension does not ask for an entitlement, the registry throws its own error later. No policy is read
        // for such an entitlement.
        let known = registry.value.entitlements(of: record).filter(\.isAllowed).map(\.name)
        // A change of other entitlements leaves the named machines as they are.
        let named =
            entitlements.contains(GrantedEntitlements.withHosts) ? rules : registry.value.hostsInForce(for: record)
        try compile(policy(for: record, with: known.filter(granted.contains), hosts: named), for: record)
        _ = try change(recording: keep) { registry throws(RegistryError) in
            try registry.setGranted(isGranted, entitlements: entitlements, hosts: rules, for: identifier)
        }
        for supervised in running.all { supervised.endIfParkedAndReplaced() }
        let now = registry.value
        let described = try found(identifier).described(in: now)
        return signatures.named([described]).first ?? described
    }

    private static func rules(
        _ hosts: [String], for identifier: String
    ) throws(BrokerError) -> [HostRule] {
        var rules: [HostRule] = []
        for host in hosts {
            do throws(PolicyError) {
                rules.append(try HostRule(host))
            } catch {
                throw BrokerError(.wrongEntitlement, what: "cannot get a machine: \(error)", place: identifier)
            }
        }
        return rules
    }
}
