internal import AnnexLinux

/// Where a running extension's numbers lie on the broker's board. `Docs/Guide/Observing.md` says the same in words.
enum LiveStatusLayout {
    /// The magic is "ANXB".
    static let file = SlotLayout(name: "annex-board", magic: 0x4258_4E41, version: 1, slotSize: 512, slots: 16_383)

    // Words of 64 bits within a slot, behind its number and when its extension was asked for.
    static let state = 2
    /// The extension's process, as the broker's namespace counts; 0: none yet.
    static let process = 3
    /// The process that has its host's end of the channel, as the broker's namespace counts; 0: not known.
    static let host = 4
    /// The channel's number there, by that process's word; 0: not known.
    static let channel = 5
    /// Refusals so far.
    static let denials = 6
    /// Requests answered, and the nanoseconds that they took all together.
    static let answered = 7
    static let answerTime = 8
    /// The policy's memory limit in bytes.
    static let memoryLimit = 9
    /// Where the host is another process than the broker: when that started, in clock ticks after boot, and whose it is.
    static let hostStarted = 10
    static let hostUser = 11

    static let identifier = SlotLayout.Text(offset: 128, size: 160)
    static let policy = SlotLayout.Text(offset: 288, size: 160)
}
