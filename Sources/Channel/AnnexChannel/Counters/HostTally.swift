internal import AnnexLinux

/// The counts behind `ChannelCounters`.
struct HostTally: ~Copyable, Sendable {
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
