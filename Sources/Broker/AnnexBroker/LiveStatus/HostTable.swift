internal import AnnexChannel
internal import AnnexLinux

/// What one look reads of other processes: boards, and the channels of the hosts that they name. Each host's are read once,
/// whatever boards say.
struct HostTable {
    /// So many descriptors of one user's processes are looked through: who has more of them keeps nobody longer.
    private static let mostDescriptors = 1 << 20
    /// So many extensions of one user are shown.
    private static let mostSlots = 1 << 15

    private var channels: [ProcessIdentity: [UInt64: ChannelSnapshot]] = [:]
    /// Of each user, how many more.
    private var left: [UInt32: Int] = [:]
    private var slotsLeft: [UInt32: Int] = [:]

    /// The slots of a broker's board; none where it has none that can be read.
    mutating func board(of broker: ProcessIdentity) -> [SlotCopy] {
        let slots = try? SlotCopy.all(
            LiveStatusLayout.file, of: broker.process, atMost: &left[broker.user, default: Self.mostDescriptors])
        let shown = (slots ?? []).prefix(slotsLeft[broker.user, default: Self.mostSlots])
        slotsLeft[broker.user, default: Self.mostSlots] -= shown.count
        return Array(shown)
    }

    /// What went through a channel; nil where that process is another by now, cannot be read, or has no such channel.
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
        // Once more: what was read in between may have been somebody else's.
        guard let found, ProcessIdentity.now(host.process) == host else { return [:] }
        return Dictionary(found.map { ($0.number, $0) }, uniquingKeysWith: { one, _ in one })
    }
}
