internal import AnnexBrokerAPI

/// The host's handle of an extension that a daemon launched. It sends every report to the daemon.
final class RemoteHandle: ExtensionHandle {
    private let number: UInt64
    private let link: DaemonLink

    init(_ number: UInt64, _ link: DaemonLink) {
        self.number = number
        self.link = link
    }

    func saidHello() { link.tell(number, .saidHello) }
    func requestBegan(_ request: UInt64) { link.note(number) { $0.began(request) } }
    func requestEnded(_ request: UInt64) { link.note(number) { $0.ended(request) } }
    func overstayed() { link.tell(number, .overstayed) }
    func gaveSign() { link.tell(number, .gaveSign) }
    func activityBegan(_ reason: String) { link.tell(number, .activityBegan(reason)) }
    func activityEnded() { link.tell(number, .activityEnded) }

    func violated(_ violation: ProtocolViolation) {
        // The text contains data from the extension, so it is cut to fit in a packet.
        link.tell(
            number, .violated(ProtocolViolation(String(violation.text.prefix(1_000)), isBudget: violation.isBudget)))
    }

    func park() { link.tell(number, .parked) }

    func claim() -> Bool {
        if case .claimed(let isYours)? = try? link.ask(.claim(number)) { isYours } else { false }
    }

    nonisolated(nonsending) func askedClaim() async -> Bool {
        if case .claimed(let isYours)? = try? await link.asked(.claim(number)) { isYours } else { false }
    }

    func channelClosed() { link.tell(number, .channelClosed) }
    func dismiss(completed: Bool) { link.tell(number, .dismissed(completed: completed)) }
}
