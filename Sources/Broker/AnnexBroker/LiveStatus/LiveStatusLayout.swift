internal import AnnexLinux

/// The layout of an entry on the broker's board. `Docs/Guide/Observing.md` describes it in words.
enum LiveStatusLayout {
    /// The magic is "ANXB".
    static let file = SlotLayout(name: "annex-board", magic: 0x4258_4E41, version: 1, slotSize: 512, slots: 16_383)

    // Indices of 64-bit words within a slot, after the slot's number and the moment at which the extension was asked
    // for.
    static let state = 2
    /// The extension's process ID in the broker's PID namespace; 0 if there is no process yet.
    static let process = 3
    /// The ID of the host's process in the broker's PID namespace; 0 if it is not known.
    static let host = 4
    /// The number of the channel in the host's process, as the host reports it; 0 if it is not known.
    static let channel = 5
    /// The number of denials so far.
    static let denials = 6
    /// The number of answered requests, and the sum of their answer times in nanoseconds.
    static let answered = 7
    static let answerTime = 8
    /// The policy's memory limit in bytes.
    static let memoryLimit = 9
    /// These two words are set only if the host is another process than the broker and can be inspected: its start in
    /// clock ticks after boot, and its user.
    static let hostStarted = 10
    static let hostUser = 11

    static let identifier = SlotLayout.Text(offset: 128, size: 160)
    static let policy = SlotLayout.Text(offset: 288, size: 160)
}
