internal import AnnexLinux
internal import Synchronization

/// What has happened on a channel since it was made.
public struct ChannelCounters: Sendable, Hashable {
    public var framesSent: UInt64 = 0
    public var framesReceived: UInt64 = 0
    /// Payload bytes.
    public var bytesSent: UInt64 = 0
    public var bytesReceived: UInt64 = 0
    /// Answers that came after their call had ended another way, or a second time.
    public var lateReplies: UInt64 = 0
    /// How often a caller went to sleep for an answer.
    public var sleeps: UInt64 = 0
    /// How often the other side had to be woken through the kernel.
    public var wakeUpsSent: UInt64 = 0
    /// How often the event loop was woken for this channel.
    public var doorbells: UInt64 = 0
}

/// The counts behind `ChannelCounters`.
struct CounterWriter: ~Copyable, Sendable {
    private let slot: SharedSlot
    // Added to under the sending lock.
    let framesSent: Counter
    let bytesSent: Counter
    let wakeUpsForFrames: Counter
    // Under the receiving lock.
    let framesReceived: Counter
    let bytesReceived: Counter
    let lateReplies: Counter
    let sleeps: Counter
    let wakeUpsForRoom: Counter
    // Under the inbox's lock.
    let doorbells: Counter

    /// - Parameter label: whose channel it is, for who looks from outside.
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

    /// By which a reader from outside finds it; 0 where none can.
    var number: UInt64 { slot.number }

    var now: ChannelCounters {
        ChannelCounters(
            framesSent: framesSent.now, framesReceived: framesReceived.now, bytesSent: bytesSent.now,
            bytesReceived: bytesReceived.now, lateReplies: lateReplies.now, sleeps: sleeps.now,
            wakeUpsSent: wakeUpsForFrames.now &+ wakeUpsForRoom.now, doorbells: doorbells.now)
    }
}

/// A count that one thread at a time adds to, under some lock, and anybody reads, other processes too.
@safe struct Counter: Sendable {
    // SAFETY: an address is not Sendable by itself; set once, and the slot that owns it outlives this value.
    private nonisolated(unsafe) let word: UnsafeMutablePointer<Atomic<UInt64>>

    init(_ word: UnsafeMutablePointer<Atomic<UInt64>>) {
        unsafe self.word = word
    }

    /// SYNC: writers exclude each other by the lock they hold, so a load and a store do; no order is promised to
    /// readers.
    func add(_ count: UInt64 = 1) {
        // SAFETY: the word is aligned and lives as long as the slot.
        unsafe word.pointee.store(word.pointee.load(ordering: .relaxed) &+ count, ordering: .relaxed)
    }

    var now: UInt64 { unsafe word.pointee.load(ordering: .relaxed) }
}

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
