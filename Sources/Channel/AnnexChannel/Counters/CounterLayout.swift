internal import AnnexLinux

/// Where a channel's numbers lie in its slot. `Docs/Design/Channel.md` says the same in words.
enum CounterLayout {
    /// The magic is "ANXS".
    static let file = SlotLayout(
        name: "annex-counters", magic: 0x5358_4E41, version: 2, slotSize: 256, slots: 4095)

    // Words of 64 bits within a slot. Each group has a cache line of its own, as its writers hold different locks.
    static let framesSent = 2
    static let bytesSent = 3
    static let wakeUpsForFrames = 4
    static let framesReceived = 8
    static let bytesReceived = 9
    static let lateReplies = 10
    static let sleeps = 11
    static let wakeUpsForRoom = 12
    static let doorbells = 16

    /// Whose channel it is.
    static let label = SlotLayout.Text(offset: 144, size: 112)
}
