internal import AnnexLinux

/// The receiving half of an extension's end.
struct ExtensionReceiver: ~Copyable {
    private var reader: RingReader
    /// Sleeps until the host has published something.
    private let gate: SleepGate
    /// Wakes a host that waits for room.
    private let wake: WakeGate
    private var spinner: Spinner

    init(own: borrowing OwnRegion, peer: borrowing PeerRegion, waiting: WaitingStyle) {
        reader = RingReader(ring: peer.ring, produced: peer.produced, consumed: own.consumed)
        gate = SleepGate(flag: own.receiver, position: peer.produced)
        wake = WakeGate(position: own.consumed, flag: peer.sender)
        spinner = Spinner(waiting)
    }

    /// The next frame that is there now. Its room is given back at once: the work that follows may take long.
    mutating func read() throws(ChannelViolation) -> Frame? {
        if !reader.hasFrames { try reader.look() }
        guard let frame = try reader.next() else { return nil }
        if reader.publish() { _ = wake.wakeIfAsleep() }
        return frame
    }

    /// Waits until there is something to read.
    /// - Returns: false when `deadline` has passed.
    mutating func wait(until deadline: UInt64?) throws(ChannelViolation) -> Bool {
        guard !reader.hasFrames else { return true }
        spinner.begin()
        var looks: UInt32 = 0
        while !reader.hasNews {
            if spinner.spin() {
                looks &+= 1
                // Asking the clock costs more than a look.
                if looks % 64 == 0, isOver(deadline) { return false }
            } else if try !sleep(until: deadline) {
                return false
            }
        }
        spinner.found()
        return true
    }

    private mutating func sleep(until deadline: UInt64?) throws(ChannelViolation) -> Bool {
        spinner.slept()
        gate.announce()
        let woken = gate.sleep(while: reader.seen, until: deadline)
        gate.withdraw()
        if case .refused(let errno) = woken { throw .sharedWord(errno: errno) }
        return reader.hasNews || !isOver(deadline)
    }

    private func isOver(_ deadline: UInt64?) -> Bool {
        guard let deadline else { return false }
        return MonotonicClock.remaining(until: deadline) == 0
    }
}
