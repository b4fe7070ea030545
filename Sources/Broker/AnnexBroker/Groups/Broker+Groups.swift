internal import AnnexBrokerAPI
internal import AnnexBundle
internal import AnnexChannel
internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPolicy
internal import AnnexPortal
internal import AnnexPortalServer
internal import AnnexRegistry

extension Broker {
    /// Whether an extension has a use for a portal, a socket for its requests to the broker. An extension without a use
    /// for a portal gets none, so that it cannot attack the portal.
    func needsPortal(_ bundle: ExtensionBundle, entitlements: [String]) -> Bool {
        portals.isUseful(
            to: PortalProspect(
                point: bundle.extensionPoint, groups: groups(of: bundle, entitlements: entitlements)))
    }

    /// Gives an extension its portal, and the app groups that its entitlements allow.
    func openPortal(
        for bundle: ExtensionBundle, record: ExtensionRecord, entitlements: [String], policy: Policy, bell: PortalBell?,
        into configuration: inout SandboxConfiguration
    ) throws(BrokerError) -> ExtensionPortal? {
        guard let bell else { return nil }
        let groups = try openGroups(of: bundle, entitlements: entitlements, policy: policy)
        do throws(SystemError) {
            for group in groups {
                configuration.shared.append(
                    SharedDirectory(try group.container.duplicate(), at: Self.place(of: group), owner: wishes.owner))
            }
            configuration.environment[Portal.variable] = Array("\(Portal.descriptor)".utf8)
            return try portal(for: record, groups: groups, bell: bell, into: &configuration)
        } catch {
            throw BrokerError(
                .system, what: "has no portal: \(error.cause)", place: bundle.identifier, remedy: error.remedy)
        }
    }

    /// Opens the groups of an extension.
    ///
    /// A group is open to an extension if three conditions are met. The extension and its app both declare the group. A
    /// team has signed the app. The entitlement is in force.
    private func openGroups(
        of bundle: ExtensionBundle, entitlements: [String], policy: Policy
    ) throws(BrokerError) -> [OpenGroup] {
        let identifiers = groups(of: bundle, entitlements: entitlements)
        guard !identifiers.isEmpty, let team = signatures.team(of: bundle) else { return [] }
        // The files of a group belong to the broker's user, who may be root.
        if let call = policy.callForIdentityBits {
            throw BrokerError(
                .invalidPolicy,
                what: "\(policy.name) allows \(call) with a set-user-ID or set-group-ID mode, and the extension has "
                    + "app groups",
                place: bundle.identifier, remedy: "allow \(call) only where the mode is without 0xc00")
        }
        guard policy.limits.descriptors <= Portal.firstLocks else {
            throw BrokerError(
                .invalidPolicy,
                what:
                    "\(policy.name) allows \(policy.limits.descriptors) descriptors, and the extension has app groups",
                place: bundle.identifier, remedy: "state at most \(Portal.firstLocks) under limits: descriptors")
        }
        return try groups.open(identifiers, of: team, for: bundle.containingApp)
    }

    /// The bell of an extension that gets a portal.
    static func bell(of channel: borrowing ExtensionDescriptors, for identifier: String) throws(BrokerError)
        -> PortalBell
    {
        do throws(SystemError) {
            return try PortalBell(channel.extensionRegion)
        } catch {
            throw BrokerError(.system, what: "\(error.cause)", place: identifier, remedy: error.remedy)
        }
    }

    /// The groups that an extension is a member of.
    func groups(of bundle: ExtensionBundle, entitlements: [String]) -> [String] {
        guard entitlements.contains(Entitlement.applicationGroups.rawValue) else { return [] }
        // If the layer `root` is waived and missing, the extension sees the host's files, and gets no group.
        guard launcher.gives(.root), launcher.gives(.mount) else { return [] }
        return signatures.groups(of: bundle).sorted()
    }

    /// The path at which an extension finds a group.
    private static func place(of group: OpenGroup) -> String { "/groups/\(group.identifier)" }

    private func portal(
        for record: ExtensionRecord, groups: [OpenGroup], bell: PortalBell,
        into configuration: inout SandboxConfiguration
    ) throws(SystemError) -> ExtensionPortal {
        let member = try PortalMember(
            record.identifier, ofApp: record.info.containingApp, groups: groups, firstLocks: Portal.firstLocks,
            container: { Self.place(of: $0) },
            isAllowed: { [registry] in registry.value.entitlementsInForce(for: record).contains($0) },
            wake: { bell.ring() })
        let onViolation = ViolationHandler()
        let ends = try portals.connect(member) { onViolation.report($0) }
        let connection = ends.connection
        configuration.give(ends.takeSocket().takeDescriptor(), as: Portal.descriptor)
        for locks in member.locks.values {
            if let number = locks.number { configuration.give(try locks.duplicate(), as: number) }
        }
        return ExtensionPortal(connection: connection, groups: groups, onViolation: onViolation)
    }
}
