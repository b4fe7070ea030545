package import AnnexChannel
internal import AnnexLaunch
internal import AnnexLinux

/// A running extension as its broker's board shows it. The board may belong to an untrusted process: escape the texts
/// before showing them, and do not rely on the numbers.
package struct LiveStatusSnapshot: Sendable {
    /// The broker's process ID and the number that the broker gave this extension; the pair identifies the extension.
    /// An embedded broker's process is also the host's.
    package let broker: Int32
    package let number: UInt64
    /// The process with the host's end of the channel: the broker's own, or a client of a daemon. nil if the board
    /// names none that this broker may serve.
    package let host: Int32?
    /// The extension's process. nil if there is none yet, or if the process that the board names is no child of this
    /// broker's warden.
    package let process: Int32?
    package let identifier: String
    package let policy: String
    package let state: LiveStatusState
    /// When the extension was asked for, in nanoseconds on the monotonic clock.
    package let asked: UInt64
    package let denials: UInt64
    package let answered: UInt64
    /// The sum of all answer times in nanoseconds.
    package let answerTime: UInt64
    package let memoryLimit: UInt64
    /// The counts of the channel; nil if they cannot be read.
    package let channel: ChannelCounters?
}

extension LiveStatusSnapshot {
    /// The extensions of all brokers that this user may inspect: the user's own, or all of them for root.
    package static func all() -> [LiveStatusSnapshot] {
        var hosts = HostTable()
        return BrokerTable.now().brokers.flatMap { broker, wardens in all(of: broker, wardens, &hosts) }
    }

    private static func all(
        of broker: ProcessIdentity, _ wardens: Set<Int32>, _ hosts: inout HostTable
    ) -> [LiveStatusSnapshot] {
        hosts.board(of: broker).compactMap { slot in
            let host = host(slot, of: broker)
            return LiveStatusSnapshot(slot, broker: broker.process, host: host?.process) { process in
                // Only a child of the broker's warden can be its extension. The kernel says which processes those are,
                // so the board need not be trusted.
                ProcessStat(process).map { wardens.contains($0.parent) } ?? false
            } channel: { label in
                host.flatMap { hosts.counters(slot.word(LiveStatusLayout.channel), of: $0, label: label) }
            }
        }
    }

    /// The process with the host's end of a channel; nil if the broker may not serve that process. A broker of root may
    /// serve every user. Any other broker serves its own user only, whatever its board says.
    static func host(_ slot: SlotCopy, of broker: ProcessIdentity) -> ProcessIdentity? {
        guard let process = Int32(exactly: slot.word(LiveStatusLayout.host)), process > 0 else { return nil }
        if process == broker.process { return broker }
        guard let user = UInt32(exactly: slot.word(LiveStatusLayout.hostUser)), broker.user == 0 || broker.user == user
        else { return nil }
        let started = slot.word(LiveStatusLayout.hostStarted)
        return started > 0 ? ProcessIdentity(process: process, started: started, user: user) : nil
    }

    /// nil if the slot shows no running extension.
    init?(
        _ slot: SlotCopy, broker: Int32, host: Int32?, isChild: (Int32) -> Bool, channel: (String) -> ChannelCounters?
    ) {
        guard let state = LiveStatusState(rawValue: slot.word(LiveStatusLayout.state)) else { return nil }
        self.state = state
        self.broker = broker
        self.host = host
        number = slot.number
        identifier = slot.text(LiveStatusLayout.identifier)
        policy = slot.text(LiveStatusLayout.policy)
        let named = Int32(exactly: slot.word(LiveStatusLayout.process)) ?? 0
        process = named > 0 && isChild(named) ? named : nil
        self.channel = channel(identifier)
        asked = slot.takenAt
        denials = slot.word(LiveStatusLayout.denials)
        answered = slot.word(LiveStatusLayout.answered)
        answerTime = slot.word(LiveStatusLayout.answerTime)
        memoryLimit = slot.word(LiveStatusLayout.memoryLimit)
    }
}
