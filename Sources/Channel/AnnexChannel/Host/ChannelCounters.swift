internal import AnnexLinux
internal import Synchronization

/// Counts of a channel's events since it was made.
public struct ChannelCounters: Sendable, Hashable {
    public var framesSent: UInt64 = 0
    public var framesReceived: UInt64 = 0
    /// The number of payload bytes sent.
    public var bytesSent: UInt64 = 0
    public var bytesReceived: UInt64 = 0
    /// Answers that arrived after their call had ended in another way, and second answers to a call.
    public var lateReplies: UInt64 = 0
    /// How often a caller slept while it waited for an answer.
    public var sleeps: UInt64 = 0
    /// How often this side woke the extension with a system call.
    public var wakeUpsSent: UInt64 = 0
    /// How often the extension woke the event loop for this channel.
    public var doorbells: UInt64 = 0
}

/// The counts behind `ChannelCounters`.
struct CounterWriter: ~Copyable, Sendable {
    private let slot: SharedSlot
    // The next three counters are written under the sending lock.
    let framesSent: Counter
    let bytesSent: Counter
    let wakeUpsForFrames: Counter
    // The next five counters are written under the receiving lock.
    let framesReceived: Counter
    let bytesReceived: Counter
    let lateReplies: Counter
    let sleeps: Counter
    let wakeUpsForRoom: Counter
    // The next counter is written under the inbox's lock.
    let doorbells: Counter

    /// - Parameter label: a name for the channel, shown to programs that read its counters.
    init(label: String) {
        let slot = SharedSlot(CounterLayout.file, texts: [(CounterLayout.label, label)])
        framesSent = unsafe Counter(slot.address(of: CounterLayout.framesSent))
        bytesSent = unsafe Counter(slot.address(of: CounterLayout.bytesSent))
        wakeUpsForFrames = unsafe Counter(slot.address(of: CounterLayout.wakeUpsForFrames))
        framesReceived = unsafe Counter(slot.address(of: CounterLayout.framesReceived))
        bytesReceived = unsafe Counter(slot.address(of: CounterLayout.bytesReceived))
        lateReplies = unsafe Counter(slot.address(of: CounterLayout.lateReplies))
        sleeps = unsafe Counter(slot.address(of: CounterLayout.sleeps))
        wakeUpsForRoom = unsafe Counter(slot.address(of: CounterLayout.wakeUpsForRoom))
        doorbells = unsafe Counter(slot.address(of: CounterLayout.doorbells))
        self.slot = slot
    }

    /// The number under which other processes find the counters; 0 if they cannot find them.
    var number: UInt64 { slot.number }

    var now: ChannelCounters {
        ChannelCounters(
            framesSent: framesSent.now, framesReceived: framesReceived.now, bytesSent: bytesSent.now,
            bytesReceived: bytesReceived.now, lateReplies: lateReplies.now, sleeps: sleeps.now,
            wakeUpsSent: wakeUpsForFrames.now &+ wakeUpsForRoom.now, doorbells: doorbells.now)
    }
}

/// A count that only one thread at a time increases, under a lock. Any thread and any process may read it.
@safe struct Counter: Sendable {
    // SAFETY: an address is not Sendable by itself. This address is set once, and the slot that owns the memory
    // outlives this value.
    private nonisolated(unsafe) let word: UnsafeMutablePointer<Atomic<UInt64>>

    init(_ word: UnsafeMutablePointer<Atomic<UInt64>>) {
        unsafe self.word = word
    }

    /// SYNC: the writer holds a lock that excludes other writers, so a load and a store suffice. Readers get no
    /// ordering guarantee.
    func add(_ count: UInt64 = 1) {
        // SAFETY: the word is aligned and lives as long as the slot.
        unsafe word.pointee.store(word.pointee.load(ordering: .relaxed) &+ count, ordering: .relaxed)
    }

    var now: UInt64 { unsafe word.pointee.load(ordering: .relaxed) }
}

/// The positions of a channel's counters in the channel's slot. `Docs/Design/Channel.md` describes the layout.
enum CounterLayout {
    /// The magic is "ANXS".
    static let file = SlotLayout(
        name: "annex-counters", magic: 0x5358_4E41, version: 2, slotSize: 256, slots: 4095)

    // Indexes of 64-bit words within a slot. Each group has a cache line of its own, because the writers of different
    // groups hold different locks.
    static let framesSent = 2
    static let bytesSent = 3
    static let wakeUpsForFrames = 4
    static let framesReceived = 8
    static let bytesReceived = 9
    static let lateReplies = 10
    static let sleeps = 11
    static let wakeUpsForRoom = 12
    static let doorbells = 16

    /// The channel's name.
    static let label = SlotLayout.Text(offset: 144, size: 112)
}

/// The counters that a channel in another process had at one moment.
public struct ChannelSnapshot: Sendable, Hashable {
    /// The channel's number in its process. Numbers start at 1 and are never reused.
    public let number: UInt64
    /// The channel's name as its host gave it, for example the extension's identifier. The text comes from another
    /// program, so escape it before you print it.
    public let label: String
    /// When the channel was made, in nanoseconds of the monotonic clock.
    public let openedAt: UInt64
    public let counters: ChannelCounters
}

extension ChannelSnapshot {
    /// Reads the counters of all channels of a running host. This function only reads shared memory, so it does not
    /// delay the host. The caller needs the right to read `/proc/PID/fd`. The user who owns that process has this
    /// right.
    /// - Returns: an empty array for a process without channels.
    public static func all(of process: Int32) throws -> [ChannelSnapshot] {
        try SlotCopy.all(CounterLayout.file, of: process).map { ChannelSnapshot($0) }
    }

    /// Reads the counters of all channels of a process, with a limit on the descriptors to examine.
    /// - Parameter most: how many descriptors may be examined. The function reduces this value by the number of
    ///   descriptors that it examined.
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
