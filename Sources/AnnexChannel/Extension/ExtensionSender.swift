internal import AnnexLinux

/// The sending half of an extension's end.
struct ExtensionSender: ~Copyable {
    private var writer: RingWriter
    /// Wakes the host after a frame.
    private let wake: WakeGate
    /// Sleeps until the host has made room.
    private let gate: SleepGate
    /// The doorbell that was rung last: the host asks anew each time it goes to sleep.
    private var rung: UInt32 = 0

    init(own: borrowing OwnRegion, peer: borrowing PeerRegion) {
        writer = RingWriter(ring: own.ring, produced: own.produced, consumed: peer.consumed)
        wake = WakeGate(position: own.produced, flag: peer.receiver)
        gate = SleepGate(flag: own.sender, position: peer.consumed)
    }

    /// Writes a frame and wakes a host that sleeps on the position. Waits for room without limit: a host that never
    /// reads has given its extension up.
    /// - Returns: whether the host sleeps in epoll and wants its doorbell.
    mutating func send(
        _ header: FrameHeader, terms: RequestTerms? = nil, _ payload: [UInt8]
    ) throws(ChannelViolation) -> Bool {
        while try !writer.hasRoom(payload: UInt32(payload.count) + (terms == nil ? 0 : RequestTerms.size)) {
            gate.announce()
            let woken = gate.sleep(while: writer.seen, until: nil)
            gate.withdraw()
            if case .refused(let errno) = woken { throw .sharedWord(errno: errno) }
        }
        writer.write(header, terms: terms, payload: payload)
        let state = wake.state()
        if state == ReceiverState.asleep { wake.position.wake() }
        guard ReceiverState.isDoorbell(state), state != rung else { return false }
        rung = state
        return true
    }
}
