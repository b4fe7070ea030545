import AnnexBrokerAPI
import AnnexModel
import Synchronization

/// A handle for an extension without a process. It reports the end of the extension at once after a violation, an
/// overdue request, the closing of the channel, or a dismissal.
final class LoneHandle: ExtensionHandle {
    private let events: @Sendable (ExtensionEvent) -> Void
    private let endsParked: Bool
    private let count = Atomic(0)
    /// The host's reports about its requests, in order.
    let reports = Mutex<[Report]>([])

    enum Report: Hashable {
        case began(UInt64)
        case ended(UInt64)
    }

    /// The number of times that the host has released the extension.
    var dismissals: Int { count.load(ordering: .acquiring) }

    init(_ events: @escaping @Sendable (ExtensionEvent) -> Void, endsParked: Bool) {
        self.events = events
        self.endsParked = endsParked
    }

    func saidHello() {}
    func requestBegan(_ request: UInt64) { reports.withLock { $0.append(.began(request)) } }
    func requestEnded(_ request: UInt64) { reports.withLock { $0.append(.ended(request)) } }
    func gaveSign() {}
    func park() { if endsParked { events(.ended(Termination(.cancelled))) } }
    func claim() -> Bool { true }
    func activityBegan(_ reason: String) {}
    func activityEnded() {}
    func violated(_ violation: ProtocolViolation) { events(.ended(Termination(.protocolViolation))) }
    func overstayed() { events(.ended(Termination(.timeLimit))) }

    func channelClosed() {
        events(.ended(Termination(.protocolViolation)))
    }

    func dismiss(for dismissal: Dismissal) {
        count.add(1, ordering: .acquiringAndReleasing)
        events(.ended(Termination(dismissal == .completed ? .completed : .cancelled)))
    }
}
