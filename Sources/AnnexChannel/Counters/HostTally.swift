/// The counts behind `ChannelCounters`.
struct HostTally: ~Copyable, Sendable {
    private let slot: CounterSlot
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
        let slot = CounterSlot(label: label)
        framesSent = slot.counter(CounterLayout.framesSent)
        bytesSent = slot.counter(CounterLayout.bytesSent)
        wakeUpsForFrames = slot.counter(CounterLayout.wakeUpsForFrames)
        framesReceived = slot.counter(CounterLayout.framesReceived)
        bytesReceived = slot.counter(CounterLayout.bytesReceived)
        lateReplies = slot.counter(CounterLayout.lateReplies)
        sleeps = slot.counter(CounterLayout.sleeps)
        wakeUpsForRoom = slot.counter(CounterLayout.wakeUpsForRoom)
        doorbells = slot.counter(CounterLayout.doorbells)
        self.slot = slot
    }

    var now: ChannelCounters {
        ChannelCounters(
            framesSent: framesSent.now, framesReceived: framesReceived.now, bytesSent: bytesSent.now,
            bytesReceived: bytesReceived.now, lateReplies: lateReplies.now, sleeps: sleeps.now,
            wakeUpsSent: wakeUpsForFrames.now &+ wakeUpsForRoom.now, doorbells: doorbells.now)
    }
}
