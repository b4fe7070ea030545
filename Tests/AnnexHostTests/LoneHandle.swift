import AnnexModel
import AnnexService

/// Ends the extension only for what bounds a wait: the news that its channel is closed, and a dismissal.
final class LoneHandle: ExtensionHandle {
    private let events: @Sendable (ExtensionEvent) -> Void

    init(_ events: @escaping @Sendable (ExtensionEvent) -> Void) {
        self.events = events
    }

    func saidHello() {}
    func requestBegan() {}
    func requestEnded() {}
    func gaveSign() {}
    func park() {}
    func claim() -> Bool { true }
    func activityBegan(_ reason: String) {}
    func activityEnded() {}
    func violated(_ violation: ProtocolViolation) { events(.ended(Termination(.protocolViolation))) }
    func overstayed() { events(.ended(Termination(.timeLimit))) }

    func channelClosed() {
        events(.ended(Termination(.protocolViolation)))
    }

    func dismiss(completed: Bool) {
        events(.ended(Termination(completed ? .completed : .cancelled)))
    }
}
