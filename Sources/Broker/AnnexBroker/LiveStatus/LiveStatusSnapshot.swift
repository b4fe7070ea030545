package import AnnexChannel
internal import AnnexLinux
internal import AnnexSandbox

/// A running extension as its broker's board shows it. The board may be anybody's: texts are to be escaped, and numbers
/// are that process's words.
package struct LiveStatusSnapshot: Sendable {
    /// The process of the broker, which is its host's where that carries its broker, and the number that it gave this
    /// extension; together they are nobody else's.
    package let broker: Int32
    package let number: UInt64
    /// The process that has the host's end of the channel: the broker's own, or a client of a daemon's. nil if the board
    /// names none that this broker may serve.
    package let host: Int32?
    /// The extension's process; nil where there is none yet, or where the one that the board names is none of this
    /// broker's.
    package let process: Int32?
    package let identifier: String
    package let policy: String
    package let state: LiveStatusState
    /// On the monotonic clock, in nanoseconds.
    package let asked: UInt64
    package let denials: UInt64
    package let answered: UInt64
    /// Nanoseconds that all answers took together.
    package let answerTime: UInt64
    package let memoryLimit: UInt64
    /// What went through its channel; nil where that cannot be read.
    package let channel: ChannelCounters?
}

extension LiveStatusSnapshot {
    /// What the extensions of every broker are at that this user may look at: its own, or for root everybody's.
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
                // What a broker launched is its warden's child: nobody's word is needed for that.
                ProcessStat(process).map { wardens.contains($0.parent) } ?? false
            } channel: { label in
                host.flatMap { hosts.counters(slot.word(LiveStatusLayout.channel), of: $0, label: label) }
            }
        }
    }

    /// The process that has the host's end of a channel: the broker's own, or one that it names. Root's broker may serve
    /// everybody; any other serves none but its own user, whatever it says.
    static func host(_ slot: SlotCopy, of broker: ProcessIdentity) -> ProcessIdentity? {
        guard let process = Int32(exactly: slot.word(LiveStatusLayout.host)), process > 0 else { return nil }
        if process == broker.process { return broker }
        guard let user = UInt32(exactly: slot.word(LiveStatusLayout.hostUser)), broker.user == 0 || broker.user == user
        else { return nil }
        let started = slot.word(LiveStatusLayout.hostStarted)
        return started > 0 ? ProcessIdentity(process: process, started: started, user: user) : nil
    }

    /// Nil for what shows nothing that runs.
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
