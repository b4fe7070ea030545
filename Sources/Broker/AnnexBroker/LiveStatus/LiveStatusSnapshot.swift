package import AnnexChannel
internal import AnnexLaunch
internal import AnnexLinux
internal import Glibc

/// A running extension as its broker's board shows it. The board is shared memory in which a broker describes its
/// extensions. The board may belong to an untrusted process: escape the texts before showing them, and do not rely on
/// the numbers.
package struct LiveStatusSnapshot: Sendable {
    /// The broker's process ID and the number that the broker gave this extension. Together they identify the
    /// extension. The process of an embedded broker is also the host's process.
    package let broker: Int32
    package let number: UInt64
    /// The process with the host's end of the channel: the broker's own process, or a client of a daemon. It is nil if
    /// the board names no process that this broker may serve.
    package let host: Int32?
    /// The extension's process. It is nil if there is no process yet. It is also nil if the process that the board
    /// names is not a child of this broker's warden.
    package let process: Int32?
    package let identifier: String
    package let policy: String
    package let state: LiveStatusState
    /// When a host asked for the extension, in nanoseconds on the monotonic clock.
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
    /// The extensions of all brokers that this user may inspect. A user may inspect the user's own brokers; root may
    /// inspect all of them.
    package static func all() -> [LiveStatusSnapshot] {
        var hosts = HostTable()
        return BrokerTable.now().brokers.flatMap { broker, wardens in all(of: broker, wardens: wardens, hosts: &hosts) }
    }

    private static func all(
        of broker: ProcessIdentity, wardens: Set<Int32>, hosts: inout HostTable
    ) -> [LiveStatusSnapshot] {
        hosts.board(of: broker).compactMap { slot in
            let host = host(slot, of: broker)
            return LiveStatusSnapshot(slot, broker: broker.process, host: host?.process) { process in
                // An extension of the broker must be a child of the broker's warden. The kernel states the parent of
                // each process, so the board need not be trusted.
                ProcessStat(process).map { wardens.contains($0.parent) } ?? false
            } channel: { label in
                host.flatMap { hosts.counters(slot.word(LiveStatusLayout.channel), of: $0, label: label) }
            }
        }
    }

    /// The process with the host's end of a channel; nil if the broker has no right to serve that process. A broker
    /// of root may serve every user. Any other broker serves only its own user, whatever its board says.
    static func host(_ slot: SlotCopy, of broker: ProcessIdentity) -> ProcessIdentity? {
        guard let process = Int32(exactly: slot.word(LiveStatusLayout.host)), process > 0 else { return nil }
        if process == broker.process { return broker }
        guard let user = UInt32(exactly: slot.word(LiveStatusLayout.hostUser)), broker.user == 0 || broker.user == user
        else { return nil }
        let started = slot.word(LiveStatusLayout.hostStarted)
        return started > 0 ? ProcessIdentity(process: process, started: started, user: user) : nil
    }

    /// The result is nil if the slot shows no running extension.
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

/// The running brokers. The brokers are found through their wardens, because each warden holds a pidfd of its broker.
struct BrokerTable: Sendable {
    /// Each broker with its wardens.
    private(set) var brokers: [ProcessIdentity: Set<Int32>] = [:]

    /// The most process IDs that Linux gives out.
    private static let mostProcesses = 1 << 22

    static func now() -> BrokerTable {
        var table = BrokerTable()
        guard let folder = try? Descriptor.directory("/proc"),
            let entries = try? folder.entries(atMost: mostProcesses)
        else { return table }
        for process in entries.compactMap({ $0.name.flatMap { Int32($0) } }) {
            guard text("/proc/\(process)/comm") == "annex-warden\n", let broker = broker(of: process) else { continue }
            table.brokers[broker, default: []].insert(process)
        }
        return table
    }

    /// The broker of a warden; nil if there is none. Any process can take the name of a warden, so the warden's user
    /// must be the broker's user.
    private static func broker(of warden: Int32) -> ProcessIdentity? {
        let lines = text("/proc/\(warden)/fdinfo/4")?.split(separator: "\n") ?? []
        guard let line = lines.first(where: { $0.hasPrefix("Pid:\t") }), let broker = Int32(line.dropFirst(5)),
            broker > 0, let found = ProcessIdentity.now(broker), found.user == ProcessIdentity.now(warden)?.user
        else { return nil }
        return found
    }

    private static func text(_ path: String) -> String? {
        guard let file = try? Descriptor.open(path, O_RDONLY), let bytes = try? file.readAll(atMost: 16_384) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Reads the boards of brokers and the channels of hosts, for one snapshot. Each host's channels are read only once,
/// even if the boards name the host many times.
struct HostTable {
    /// The most descriptors that a snapshot searches in one user's processes. Without this limit, a user with many
    /// descriptors could delay the snapshot.
    private static let mostDescriptors = 1 << 20
    /// The most extensions of one user that a snapshot shows.
    private static let mostSlots = 1 << 15

    private var channels: [ProcessIdentity: [UInt64: ChannelSnapshot]] = [:]
    /// How many more descriptors of each user a snapshot may search. `slotsLeft` says how many more extensions of each
    /// user the snapshot may show.
    private var left: [UInt32: Int] = [:]
    private var slotsLeft: [UInt32: Int] = [:]

    /// The slots of a broker's board; empty if the broker has no readable board.
    mutating func board(of broker: ProcessIdentity) -> [SlotCopy] {
        let slots = try? SlotCopy.all(
            LiveStatusLayout.file, of: broker.process, atMost: &left[broker.user, default: Self.mostDescriptors])
        let shown = (slots ?? []).prefix(slotsLeft[broker.user, default: Self.mostSlots])
        slotsLeft[broker.user, default: Self.mostSlots] -= shown.count
        return Array(shown)
    }

    /// The counts of a channel. They are nil if the process ID now belongs to another process, or if the process cannot
    /// be read or has no such channel.
    mutating func counters(_ number: UInt64, of host: ProcessIdentity, label: String) -> ChannelCounters? {
        guard let channel = channels(of: host)[number], channel.label == label else { return nil }
        return channel.counters
    }

    private mutating func channels(of host: ProcessIdentity) -> [UInt64: ChannelSnapshot] {
        if let known = channels[host] { return known }
        let found = read(host)
        channels[host] = found
        return found
    }

    private mutating func read(_ host: ProcessIdentity) -> [UInt64: ChannelSnapshot] {
        guard ProcessIdentity.now(host.process) == host else { return [:] }
        let found = try? ChannelSnapshot.all(of: host.process, atMost: &left[host.user, default: Self.mostDescriptors])
        // The identity is checked again, because another process may have taken the ID while the channels were read.
        guard let found, ProcessIdentity.now(host.process) == host else { return [:] }
        return Dictionary(found.map { ($0.number, $0) }, uniquingKeysWith: { one, _ in one })
    }
}
