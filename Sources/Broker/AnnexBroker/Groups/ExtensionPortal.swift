internal import AnnexLinux
internal import AnnexPortalServer
internal import Synchronization

/// The portal of one extension, from its launch to its end. A portal is a socket for requests to the broker. As long as
/// the portal exists, the groups that the extension uses stay open.
final class ExtensionPortal: Sendable {
    private let connection: PortalConnection
    let groups: [OpenGroup]
    /// This handler is called once if the extension breaks a rule of the portal. The launch sets the handler.
    private let onViolation: ViolationHandler

    init(connection: PortalConnection, groups: [OpenGroup], onViolation: ViolationHandler) {
        self.connection = connection
        self.groups = groups
        self.onViolation = onViolation
    }

    /// Sets the handler for broken rules. If the extension has already broken a rule of the portal, the handler is
    /// called at once.
    func handleViolation(with handler: @escaping @Sendable (String) -> Void) { onViolation.set(handler) }

    /// The extension's locks in each group.
    var locks: [String: MemberLocks] { connection.member.locks }

    /// Records that the user acted in the extension's view.
    func userActed() { connection.member.actions.note() }

    func end() { connection.end() }
}

/// A handler that is set only after the portal was made.
final class ViolationHandler: Sendable {
    private struct State {
        var rule: String?
        var handler: (@Sendable (String) -> Void)?
    }

    private let state = Mutex(State())

    func set(_ handler: @escaping @Sendable (String) -> Void) {
        let rule = state.withLock { state in
            state.handler = handler
            return state.rule
        }
        if let rule { handler(rule) }
    }

    func report(_ rule: String) {
        let handler = state.withLock { state in
            state.rule = rule
            return state.handler
        }
        handler?(rule)
    }
}
