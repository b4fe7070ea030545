internal import AnnexChannel
package import AnnexModel

/// A host's handle of a running extension. Only the host sees the channel, so the host reports the channel's events to
/// the broker through this handle.
package protocol ExtensionHandle: AnyObject, Sendable {
    /// The extension's hello arrived.
    func saidHello()
    /// A request was sent. Its time limit starts when no older request is open.
    /// - Parameter request: a number that no other request to this extension has.
    func requestBegan(_ request: UInt64)
    /// The request was answered or cancelled, or the host stopped waiting for it.
    func requestEnded(_ request: UInt64)
    /// The extension answered a request. The host reports this at most once, and only for a session with an origin.
    func answered()
    /// A call that was not reported with `requestBegan` has lasted longer than the extension point's limit for a
    /// request.
    func overstayed()
    /// The extension answered a `ping`.
    func gaveSign()
    /// The host has passed a `ping` on to the extension. Before this report, the broker does not count the extension's
    /// silence against the extension.
    func passedPingOn()
    /// The extension began an activity that it wants to finish before its end.
    /// - Parameter reason: the extension's own words for the activity.
    func activityBegan(_ reason: String)
    func activityEnded()
    /// The user acted in the extension's view. Some points let an extension open an app only after such an action.
    func userActed()
    /// The extension broke the channel's rules or budget.
    func violated(_ violation: ProtocolViolation)
    /// The extension's side of the channel is closed. Either the extension has ended, or no more messages can arrive
    /// from it.
    func channelClosed()
    /// Marks an extension that no request needs at present. A launch that finds no free slot may take the slot of this
    /// extension.
    func park()
    /// Takes a parked extension into use.
    /// - Returns: false if another launch has taken the extension's slot. In that case, the extension ends.
    func claim() -> Bool
    /// Does the same as `claim`, for a task. The task suspends until a daemon answers.
    nonisolated(nonsending) func askedClaim() async -> Bool
    /// The host no longer needs the extension.
    func dismiss(for dismissal: Dismissal)
    /// Reports how many messages and bytes went through the channel so far. A broker needs this report if the host's
    /// side of the channel is in another process.
    func counted(_ counts: SessionStatistics)
}

extension ExtensionHandle {
    /// An embedded broker holds the host's side of the channel and reads the counts there.
    package func counted(_ counts: SessionStatistics) {}

    /// An embedded broker is called directly, so this function does not suspend.
    package nonisolated(nonsending) func askedClaim() async -> Bool { claim() }

    /// A broker that counts no failures needs no report.
    package func answered() {}

    /// A broker whose extensions open no apps needs no report.
    package func userActed() {}

    /// An embedded broker needs no report, because the host in its process passes a ping on at once.
    package func passedPingOn() {}
}

/// Why a host no longer needs an extension. Hosts and daemons exchange the raw values.
package enum Dismissal: UInt8, Sendable, Hashable, CaseIterable, FieldValue {
    /// The host gives up the extension, or no longer wants the extension's answer.
    case cancelled = 0
    /// The host's work with the extension is done.
    case completed = 1
    /// The extension was parked, and the machine is short of memory.
    case memoryPressure = 2
}

/// An event that a broker sends to a host about an extension that the host launched.
package enum ExtensionEvent: Sendable {
    /// The extension said hello within its launch limit.
    case ready(LaunchReport)
    /// The broker wants a sign of life. The host pings the extension, and reports the extension's answer through the
    /// handle.
    case ping
    /// The extension is close to its memory limit. The host warns the extension, so that the extension can free memory.
    case memoryWarning
    /// The session is over. The host informs the extension, which may tidy up until its grace ends.
    case goodbye
    /// The grace is about to end. The host warns the extension, so that it can finish its activities.
    case endIsNear
    /// The extension has ended. No event follows.
    case ended(Termination)
}

/// An extension's breach of the channel's rules, found on the host's side.
package struct ProtocolViolation: Sendable, Hashable {
    /// The breach with its numbers, for a report.
    package let text: String
    /// Whether the extension exceeded a budget. If this is false, the extension did something that is never allowed.
    package let isBudget: Bool

    package init(_ text: String, isBudget: Bool = false) {
        self.text = text
        self.isBudget = isBudget
    }
}
