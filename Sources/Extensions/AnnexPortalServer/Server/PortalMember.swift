package import AnnexLinux
internal import Synchronization

/// What a broker knows about a member: the process, an extension or app, that uses one portal. None of these facts
/// comes from that process.
package struct PortalMember: Sendable {
    /// The bundle identifier, for use in messages.
    package let identifier: String
    /// The bundle identifier of the app, or of the app that contains the extension.
    package let app: String
    /// The URL schemes that the app registers; empty for an extension.
    package let schemes: [String]
    /// The groups that the process is a member of, by identifier.
    package let groups: [String: OpenGroup]
    /// The process's locks in its groups, by the group's identifier.
    package let locks: [String: MemberLocks]
    /// The absolute path of a group's container, as this process sees it.
    package let container: @Sendable (OpenGroup) -> String
    /// Whether the process may still use a service. The server checks this at each request, because the user can
    /// revoke an entitlement.
    package let isAllowed: @Sendable (_ entitlement: String) -> Bool
    /// The user's actions in the view of the extension.
    package let actions = UserActions()
    /// Wakes the process after the broker sent it a message. The closure does nothing if a thread of the process
    /// always reads the portal.
    package let wake: @Sendable () -> Void

    /// - Parameters:
    ///   - app: the app that contains the extension; nil if the process is an app.
    ///   - firstLocks: the number of the process's first descriptor of locks, if the process gets these
    ///     descriptors at its launch. The descriptors for further groups have the next numbers, in the order of the
    ///     groups.
    package init(
        _ identifier: String, ofApp app: String? = nil, schemes: [String] = [], groups: [OpenGroup],
        firstLocks: Int32? = nil,
        container: @escaping @Sendable (OpenGroup) -> String,
        isAllowed: @escaping @Sendable (_ entitlement: String) -> Bool, wake: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        self.identifier = identifier
        self.app = app ?? identifier
        self.schemes = schemes
        self.groups = Dictionary(groups.map { ($0.identifier, $0) }) { $1 }
        self.container = container
        self.isAllowed = isAllowed
        self.wake = wake
        var locks: [String: MemberLocks] = [:]
        for (index, group) in groups.enumerated() {
            locks[group.identifier] = try group.newLocks(of: identifier, number: firstLocks.map { $0 + Int32(index) })
        }
        self.locks = locks
    }
}

/// Whether the user acted in an extension's view a moment ago. The host reports each action, because the extension
/// itself could claim actions that never happened.
package final class UserActions: Sendable {
    /// How long an action counts as recent. If an app opened after a longer time, the user would not know why.
    package static let moment = Duration.seconds(5)

    private let last = Mutex<UInt64?>(nil)

    package func note() { last.withLock { $0 = MonotonicClock.now() } }

    package var isRecent: Bool {
        last.withLock { last in
            last.map { MonotonicClock.now() <= $0 + MonotonicClock.nanoseconds(Self.moment) } ?? false
        }
    }
}
