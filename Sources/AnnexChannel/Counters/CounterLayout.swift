/// Where the numbers of a counter file lie. `Docs/Channel.md` says the same in words.
enum CounterLayout {
    /// The memory's name, by which a reader finds it among a process's descriptors.
    static let name = "annex-counters"
    /// "ANXS".
    static let magic: UInt32 = 0x5358_4E41
    static let version: UInt32 = 1
    /// Bytes of a channel's slot, and of the header before the first.
    static let slotSize = 256
    static let slots = 4095
    static let fileSize = slotSize * (slots + 1)

    // Words of 64 bits within a slot. Each group has a cache line of its own, as its writers hold different locks.
    /// The channel's number in its process, from 1; 0: the slot is free.
    static let number = 0
    /// When the channel was made, on the monotonic clock, in nanoseconds.
    static let openedAt = 1
    static let framesSent = 2
    static let bytesSent = 3
    static let wakeUpsForFrames = 4
    static let framesReceived = 8
    static let bytesReceived = 9
    static let lateReplies = 10
    static let sleeps = 11
    static let wakeUpsForRoom = 12
    static let doorbells = 16

    /// Whose channel it is: UTF-8, cut to what fits, zeros behind it.
    static let label = 144
    static let labelSize = slotSize - label
}
