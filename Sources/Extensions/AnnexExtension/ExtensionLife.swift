internal import AnnexChannel
internal import AnnexModel

/// Receives the host's events about this extension's life at each check of the channel. For the first thread only.
final class ExtensionLife {
    private static let events: Set = [LifeEvent.memoryWarning, LifeEvent.endIsNear]
    /// The most bytes of an activity's reason that are sent.
    private static let longestReason = 200

    private let lookout: ExtensionLookout
    /// The principal object of the current request; nil between requests.
    var principal: (any AppExtension)?
    /// The running activities, to be called when the end is near. The innermost is last.
    private var activities: [(Bool) -> Void] = []
    private(set) var isExpiring = false

    init(_ lookout: ExtensionLookout) {
        self.lookout = lookout
    }

    /// Handles the events that arrived since the last call.
    func look() {
        // If the host is gone, the main loop ends at its next step.
        for event in (try? lookout.look(for: Self.events)) ?? [] { hear(event) }
    }

    func hear(_ event: UInt16) {
        switch event {
        case LifeEvent.memoryWarning: principal?.didReceiveMemoryWarning()
        case LifeEvent.endIsNear:
            isExpiring = true
            for activity in activities.reversed() { activity(true) }
        default: break
        }
    }

    func perform(_ reason: String, _ activity: @escaping (Bool) -> Void) {
        look()
        guard !isExpiring else { return activity(true) }
        tell(LifeEvent.activityBegan, Array(reason.utf8.prefix(Self.longestReason)))
        activities.append(activity)
        activity(false)
        activities.removeLast()
        tell(LifeEvent.activityEnded)
    }

    private func tell(_ event: UInt16, _ payload: [UInt8] = []) {
        try? lookout.send(ChannelEvent(method: event, payload: payload))
    }
}
