/// The counts behind `ChannelCounters`.
struct HostTally: ~Copyable, Sendable {
    // Added to under the sending lock.
    let framesSent = Counter()
    let bytesSent = Counter()
    let wakeUpsForFrames = Counter()
    // Under the receiving lock.
    let framesReceived = Counter()
    let bytesReceived = Counter()
    let lateReplies = Counter()
    let sleeps = Counter()
    let wakeUpsForRoom = Counter()
    // Under the inbox's lock.
    let doorbells = Counter()

    var now: ChannelCounters {
        ChannelCounters(
            framesSent: framesSent.now, framesReceived: framesReceived.now, bytesSent: bytesSent.now,
            bytesReceived: bytesReceived.now, lateReplies: lateReplies.now, sleeps: sleeps.now,
            wakeUpsSent: wakeUpsForFrames.now &+ wakeUpsForRoom.now, doorbells: doorbells.now)
    }
}
