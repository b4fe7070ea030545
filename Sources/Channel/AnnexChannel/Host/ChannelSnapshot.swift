internal import AnnexLinux

/// What a channel of another process has counted so far.
public struct ChannelSnapshot: Sendable, Hashable {
    /// The channel's number in its process, from 1; never given twice.
    public let number: UInt64
    /// Whose channel its host says it is, for example the extension's identifier. Another program's text: escape it.
    public let label: String
    /// When it was made, on the monotonic clock, in nanoseconds.
    public let openedAt: UInt64
    public let counters: ChannelCounters
}

extension ChannelSnapshot {
    /// The channels of a host that runs, as they are now. Reads memory that the host shares for that and holds it up in
    /// nothing; needs the right to read the process's `/proc/PID/fd`, which its own user has.
    /// - Returns: none for a process that has no channels.
    public static func all(of process: Int32) throws -> [ChannelSnapshot] {
        try SlotCopy.all(CounterLayout.file, of: process).map { ChannelSnapshot($0) }
    }

    /// The same within bounds.
    /// - Parameter most: how many descriptors are looked through at most, and afterwards how many more may be.
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
