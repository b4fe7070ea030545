internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexModel

/// The host's record of an extension that a daemon launched.
struct RemoteExtension: Sendable {
    let events: @Sendable (ExtensionEvent) -> Void
    /// The host's end of the extension's channel. This end counts the messages and bytes of the channel.
    private let channel: HostEndpoint
    /// Requests that were not reported to the daemon yet, oldest first.
    private var begun: [UInt64] = []
    /// Requests that have ended, but that the daemon still counts as open.
    private var over: [UInt64] = []
    /// How many requests the daemon counts as open.
    private var reported = 0

    init(_ channel: HostEndpoint, events: @escaping @Sendable (ExtensionEvent) -> Void) {
        self.channel = channel
        self.events = events
    }

    /// The messages and bytes that went through the channel so far.
    var counts: SessionStatistics { SessionStatistics(channel.counters) }

    mutating func began(_ request: UInt64) {
        begun.append(request)
    }

    /// Records the end of a request. If the daemon was not yet told that the request began, the daemon gets no report
    /// about this request.
    mutating func ended(_ request: UInt64) {
        if let place = begun.firstIndex(of: request) { begun.remove(at: place) } else { over.append(request) }
    }

    /// The next report to send. It is nil if there is no report, or if the daemon already counts as many open requests
    /// as allowed.
    var news: ExtensionNotice? {
        if let request = over.first { return .requestEnded(request) }
        guard reported < ServiceWire.mostOpenRequests, let request = begun.first else { return nil }
        return .requestBegan(request)
    }

    /// Removes the report that was just sent.
    mutating func markReported() {
        if over.isEmpty {
            begun.removeFirst()
            reported += 1
        } else {
            over.removeFirst()
            reported -= 1
        }
    }
}

/// The host's handle of an extension that a daemon launched. It sends every report to the daemon.
final class RemoteHandle: ExtensionHandle {
    private let number: UInt64
    private let link: DaemonLink

    init(_ number: UInt64, link: DaemonLink) {
        self.number = number
        self.link = link
    }

    func saidHello() { link.report(number, notice: .saidHello) }
    func requestBegan(_ request: UInt64) { link.record(number) { $0.began(request) } }
    func requestEnded(_ request: UInt64) { link.record(number) { $0.ended(request) } }
    func answered() {
        // An older daemon counts no failures of an origin.
        if link.supports(ServiceWire.firstWithOrigins) { link.report(number, notice: .answered) }
    }

    func overstayed() { link.report(number, notice: .overstayed) }
    func gaveSign() { link.report(number, notice: .gaveSign) }
    func activityBegan(_ reason: String) { link.report(number, notice: .activityBegan(reason)) }
    func activityEnded() { link.report(number, notice: .activityEnded) }
    func userActed() {
        // An older daemon does not need this report, because it lets widgets open apps at any time.
        if link.supports(ServiceWire.firstWithUserActions) { link.report(number, notice: .userActed) }
    }

    func violated(_ violation: ProtocolViolation) {
        // The text contains data from the extension, so it is cut to fit in a packet.
        link.report(
            number,
            notice: .violated(ProtocolViolation(String(violation.text.prefix(1_000)), isBudget: violation.isBudget)))
    }

    func park() { link.report(number, notice: .parked) }

    func claim() -> Bool {
        if case .claimed(let isYours)? = try? link.ask(.claim(number)) { isYours } else { false }
    }

    nonisolated(nonsending) func askedClaim() async -> Bool {
        if case .claimed(let isYours)? = try? await link.asked(.claim(number)) { isYours } else { false }
    }

    func channelClosed() { link.report(number, notice: .channelClosed) }
    func dismiss(for dismissal: Dismissal) {
        // An older daemon knows only `cancelled` and `completed`.
        let isKnown = dismissal != .memoryPressure || link.supports(ServiceWire.firstWithMemoryPressure)
        link.report(number, notice: .dismissed(isKnown ? dismissal : .cancelled))
    }
}
