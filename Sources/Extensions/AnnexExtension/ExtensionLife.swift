internal import AnnexChannel
internal import AnnexModel

/// What an extension hears of its own life, whenever it looks at its channel. For its first thread only.
final class ExtensionLife {
    private static let events: Set = [LifeEvent.memoryWarning, LifeEvent.endIsNear]
    /// No more of an activity's reason than this many bytes travels.
    private static let longestReason = 200

    private let lookout: ExtensionLookout
    /// Who works on a request now.
    var principal: (any AppExtension)?
    /// What runs and wants to hear that the end is near, the innermost last.
    private var activities: [(Bool) -> Void] = []
    private(set) var isExpiring = false

    init(_ lookout: ExtensionLookout) {
        self.lookout = lookout
    }

    /// Hears what has been said since the last look.
    func look() {
        // The host may be gone; then the main loop ends next.
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
