internal import AnnexChannel
internal import AnnexModel

extension ExtensionContext {
    /// Runs work that the end of this extension should not interrupt. The host waits until the work is done, but no
    /// longer than the extension point's `grace` allows.
    ///
    /// The block is called at once with `false`, on this thread, and does its work. When three quarters of the grace
    /// are over, the block is called a second time with `true`. The second call happens when the first call next
    /// reads `isExpiring` or `isCancelled`. In the second call, the block should set a state that makes the first
    /// call end soon.
    ///
    /// If the end is already near, the block is called once, with `true`. If the block is still running when the
    /// grace is over, the extension ends as `graceExpired`.
    ///
    /// ```swift
    /// context.completeRequest(returning: items)
    /// context.performExpiringActivity(withReason: "thumbnails") { expired in
    ///     if expired { return index.discardUnfinished() }
    ///     while !context.isExpiring, index.addNext() {}
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reason: what the activity does, for a person to read. The host gets the first 200 bytes.
    ///   - block: does the work. Its argument says whether the work must stop soon.
    public func performExpiringActivity(withReason reason: String, using block: @escaping (_ expired: Bool) -> Void) {
        life.perform(reason, block)
    }

    /// Whether this extension will be ended soon. Each read of this property checks the channel for events from the
    /// host.
    public var isExpiring: Bool {
        life.poll()
        return life.isExpiring
    }
}

/// Receives the host's events about this extension's life, such as a memory warning, at each check of the channel.
/// Only the first thread may use this object.
final class ExtensionLife {
    /// The most bytes of an activity's reason that the host gets. Further bytes are cut off.
    private static let longestReason = 200

    let lookout: ExtensionLookout
    /// The principal objects of the open requests, in the order in which the requests began.
    private var principals: [any AppExtension] = []
    /// The blocks of the running activities, the innermost last. Each block is called when the extension's end is
    /// near.
    private var activities: [(Bool) -> Void] = []
    private(set) var isExpiring = false

    init(_ lookout: ExtensionLookout) {
        self.lookout = lookout
    }

    func add(_ principal: any AppExtension) { principals.append(principal) }

    func remove(_ principal: any AppExtension) { principals.removeAll { $0 === principal } }

    /// Handles the events that arrived since the last call.
    /// - Returns: whether the channel could be read. If the host is gone, the main loop ends at its next step.
    @discardableResult
    func poll() -> Bool { (try? lookout.poll()) != nil }

    func receive(_ event: UInt16) {
        switch event {
        case LifeEvent.memoryWarning: for principal in principals { principal.didReceiveMemoryWarning() }
        case LifeEvent.endIsNear:
            isExpiring = true
            for activity in activities.reversed() { activity(true) }
        default: break
        }
    }

    func perform(_ reason: String, _ activity: @escaping (Bool) -> Void) {
        poll()
        guard !isExpiring else { return activity(true) }
        send(LifeEvent.activityBegan, payload: Array(reason.utf8.prefix(Self.longestReason)))
        activities.append(activity)
        activity(false)
        activities.removeLast()
        send(LifeEvent.activityEnded)
    }

    private func send(_ event: UInt16, payload: [UInt8] = []) {
        try? lookout.send(ChannelEvent(method: event, payload: payload))
    }
}
