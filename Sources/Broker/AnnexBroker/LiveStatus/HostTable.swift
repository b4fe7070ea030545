internal import AnnexChannel
internal import AnnexLinux

/// Reads the boards of brokers and the channels of hosts, for one snapshot. Each host's channels are read only once,
/// whatever the boards say.
struct HostTable {
    /// The most descriptors of one user's processes that a snapshot searches, so that a user with more cannot delay it.
    private static let mostDescriptors = 1 << 20
    /// The most extensions of one user that a snapshot shows.
    private static let mostSlots = 1 << 15

    private var channels: [ProcessIdentity: [UInt64: ChannelSnapshot]] = [:]
    /// How many more descriptors of each user may be searched, and below it how many more extensions may be shown.
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

    /// The counts of a channel. nil if the process ID belongs to another process by now, or the process cannot be read
    /// or has no such channel.
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
        // The identity is checked again: the process may have been replaced by another one while it was read.
        guard let found, ProcessIdentity.now(host.process) == host else { return [:] }
        return Dictionary(found.map { ($0.number, $0) }, uniquingKeysWith: { one, _ in one })
    }
}
