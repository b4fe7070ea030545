internal import AnnexLinux

/// The counters of a channel in another process at one moment.
public struct ChannelSnapshot: Sendable, Hashable {
    /// The channel's number in its process, from 1; never reused.
    public let number: UInt64
    /// The channel's name as its host gave it, for example the extension's identifier. The text comes from another
    /// program: escape it before printing.
    public let label: String
    /// When the channel was made, in nanoseconds of the monotonic clock.
    public let openedAt: UInt64
    public let counters: ChannelCounters
}

extension ChannelSnapshot {
    /// Reads the counters of all channels of a running host. It reads shared memory, so the host is not delayed. The
    /// caller needs the right to read `/proc/PID/fd`, which the process's own user has.
    /// - Returns: an empty array for a process without channels.
    public static func all(of process: Int32) throws -> [ChannelSnapshot] {
        try SlotCopy.all(CounterLayout.file, of: process).map { ChannelSnapshot($0) }
    }

    /// Reads the counters of all channels of a process, with a limit on the descriptors to examine.
    /// - Parameter most: how many descriptors may be examined; reduced by those that were.
    package static func all(of process: Int32, atMost most: inout Int) throws -> [ChannelSnapshot] {
        try SlotCopy.all(CounterLayout.file, of: process, atMost: &most).map { ChannelSnapshot($0) }
    }

    private init(_ slot: SlotCopy) {
        number = slot.number
        openedAt = slot.takenAt
        label = slot.text(CounterLayout.label)
        counters = ChannelCounters(
            framesSent: slot.word(CounterLayout.framesSent), framesReceived: slot.word(CounterLayout.framesReceived),
            bytesSent: slot.word(CounterLayout.bytesSent), bytesReceived: slot.word(CounterLayout.bytesReceived),
            lateReplies: slot.word(CounterLayout.lateReplies), sleeps: slot.word(CounterLayout.sleeps),
            wakeUpsSent: slot.word(CounterLayout.wakeUpsForFrames) &+ slot.word(CounterLayout.wakeUpsForRoom),
            doorbells: slot.word(CounterLayout.doorbells))
    }
}
