internal import AnnexLinux

/// The receiving half of a host's endpoint; whoever holds its lock leads: it alone reads the ring.
struct HostReceiver: ~Copyable, Sendable {
    var reader: RingReader
    /// Sleeps until the extension has published something.
    let gate: SleepGate
    /// Wakes an extension that waits for room.
    let wake: WakeGate
    var spinner: Spinner
    var saidHello = false
    /// How often a doorbell was asked for.
    var turns: UInt32 = 0
    var frames: RateBudget
    var futile: RateBudget

    init(own: borrowing OwnRegion, peer: borrowing PeerRegion, configuration: ChannelConfiguration) {
        reader = RingReader(ring: peer.ring, produced: peer.produced, consumed: own.consumed)
        gate = SleepGate(flag: own.receiver, position: peer.produced)
        wake = WakeGate(position: own.consumed, flag: peer.sender)
        spinner = Spinner(configuration.waiting)
        frames = RateBudget(limit: configuration.framesPerSecond)
        futile = RateBudget(limit: configuration.futileWakeUpsPerSecond)
    }

    /// From here on the extension rings when it publishes.
    mutating func askForDoorbell() {
        turns &+= 1
        gate.announce(ReceiverState.wantsDoorbell(turns))
    }

    /// A frame that answers no open call.
    mutating func spendFrame() throws(ChannelViolation) {
        guard frames.spend(at: MonotonicClock.now()) else { throw .messageBudget(.frames, limit: frames.limit) }
    }

    mutating func spendFutileWakeUp() throws(ChannelViolation) {
        guard futile.spend(at: MonotonicClock.now()) else { throw .messageBudget(.wakeUps, limit: futile.limit) }
    }
}
