/// What a broker knows about the process at the other end of a portal. Nothing of it comes from that process.
package struct PortalMember: Sendable {
    /// The bundle identifier, for messages.
    package let identifier: String
    /// The groups that the process is a member of, by identifier.
    package let groups: [String: OpenGroup]
    /// The absolute path of a group's container, as this process sees it.
    package let container: @Sendable (OpenGroup) -> String
    /// Whether the process may still use a service. Asked at each request, because the user can revoke an entitlement.
    package let isAllowed: @Sendable (_ entitlement: String) -> Bool
    /// Wakes the process after a message was sent; does nothing if the process reads its portal by itself.
    package let wake: @Sendable () -> Void

    package init(
        _ identifier: String, groups: [String: OpenGroup],
        container: @escaping @Sendable (OpenGroup) -> String,
        isAllowed: @escaping @Sendable (_ entitlement: String) -> Bool, wake: @escaping @Sendable () -> Void
    ) {
        self.identifier = identifier
        self.groups = groups
        self.container = container
        self.isAllowed = isAllowed
        self.wake = wake
    }
}
