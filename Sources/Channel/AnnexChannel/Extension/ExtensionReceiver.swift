internal import AnnexLinux

/// The receiving half of an extension's end.
struct ExtensionReceiver: ~Copyable {
    /// As much memory is kept between two large messages.
    private static let largestSpare = 4 << 20

    var reader: RingReader
    /// Sleeps until the host has published something.
    private let gate: SleepGate
    /// What the host rings; nil where it wakes on what it publishes.
    private let bell: SharedWord?
    /// Wakes a host that waits for room.
    private let wake: WakeGate
    /// This side's position, which a host that waits for room sleeps on.
    private let consumed: WritableWord
    private var spinner: Spinner
    private let arena: ArenaBytes
    /// The message that comes in pieces.
    private var large: LargeMessage?
    /// The memory of a large message that is done with, for the next.
    private var spare: [UInt8] = []
    /// Who may end the waiting besides the host; nil: nobody.
    var stop: StopGate?

    init(own: borrowing OwnRegion, peer: borrowing PeerRegion, waiting: WaitingStyle, hasBell: Bool) {
        reader = RingReader(ring: peer.ring, consumed: own.consumed)
        gate = SleepGate(flag: own.receiver)
        bell = hasBell ? own.bell : nil
        wake = WakeGate(flag: peer.sender)
        consumed = own.consumed
        arena = peer.arena
        spinner = Spinner(waiting, ProcessorHint(own: own.processor, peer: peer.processor))
    }

    /// The next frame that is there now, or the next message whose last piece is. Its room is given back at once: the
    /// work that follows may take long.
    mutating func read() throws(ChannelViolation) -> Frame? {
        while let frame = try reader.next() {
            switch frame.kind {
            case .large: try begin(frame)
            case .piece: if let whole = try take(frame) { return whole }
            default:
                giveBack()
                return frame
            }
        }
        return nil
    }

    /// The next frame where it is a request that brings nothing but bytes; its payload is in the buffer then.
    /// - Returns: nil where another frame is next, or nothing after a wait.
    mutating func nextPlainRequest(
        into buffer: borrowing RequestBuffer, if isServed: (UInt16) -> Bool
    ) throws(ChannelViolation) -> CheckedHeader? {
        var header = reader.look(for: .bareRequest, .request)
        if header == nil { header = try reader.look() }
        if header == nil {
            _ = try wait(until: nil)
            header = try reader.look()
        }
        guard let header, header.kind == .request, header.descriptors == 0, isServed(header.method) else { return nil }
        buffer.load(header, from: reader)
        pass(header)
        return header
    }

    /// A message begins. The host may have given the one before up.
    private mutating func begin(_ frame: Frame) throws(ChannelViolation) {
        let (header, terms) = try LargeHeader.read(frame.payload, atMost: .max)
        var memory: [UInt8] = []
        // Taken out first: memory that two hold is copied before it is written.
        swap(&memory, &spare)
        // `removeAll(keepingCapacity:)` takes new memory all the same.
        memory.removeLast(memory.count)
        large = LargeMessage(header, frame, terms, to: .own, spare: consume memory)
        giveBack()
    }

    private mutating func take(_ frame: Frame) throws(ChannelViolation) -> Frame? {
        guard large != nil else { throw .pieceOfNothing(call: frame.call) }
        try large?.take(Hostile(UInt32(frame.method)), of: arena)
        reader.giveBackAll()
        _ = wake.wakeIfAsleep(on: consumed)
        guard let whole = large?.whole else { return nil }
        large = nil
        return whole
    }

    /// Keeps the memory of a large message that nobody has any more.
    mutating func recycle(_ bytes: consuming [UInt8]) {
        if bytes.capacity <= ExtensionReceiver.largestSpare { spare = bytes }
    }

    /// Goes on behind a frame that was copied.
    mutating func pass(_ header: CheckedHeader) {
        reader.pass(header)
        giveBack()
    }

    /// Gives the room of the frames taken back, and wakes a host that waits for it.
    private mutating func giveBack() {
        if reader.giveBack() { _ = wake.wakeIfAsleep(on: consumed) }
    }

    /// Waits until there is something to read.
    /// - Returns: false when `deadline` has passed, or the waiting was ended.
    mutating func wait(until deadline: UInt64?) throws(ChannelViolation) -> Bool {
        if reader.hasNews { return true }
        spinner.begin()
        while !reader.hasNews {
            if spinner.spin() {
                if spinner.isTimeToLookAround, isOver(deadline) { return false }
            } else if try !sleep(until: deadline) {
                return false
            }
        }
        return true
    }

    private mutating func sleep(until deadline: UInt64?) throws(ChannelViolation) -> Bool {
        spinner.willSleep()
        let (bed, seen) = goToBed()
        let woken = reader.hasNews ? .changed : sleep(on: bed, while: seen, until: deadline)
        gate.withdraw()
        spinner.slept()
        if case .refused(let errno) = woken { throw .sharedWord(errno: errno) }
        return reader.hasNews || !isOver(deadline)
    }

    /// Whether the next request may well come before a sleep.
    var isWorthLooking: Bool { spinner.isWorthLooking }

    /// Says that this side is about to sleep, and on what.
    private func goToBed() -> (bed: SharedWord, seen: UInt32) {
        guard let bell else {
            gate.announce()
            return (reader.bed, reader.bedValue)
        }
        // SYNC: read before the flag is up: whoever sees the flag rings after this.
        let heard = bell.loadAcquire()
        gate.announce(ReceiverState.asleepOnBell)
        return (bell, heard)
    }

    private func sleep(on bed: SharedWord, while seen: UInt32, until deadline: UInt64?) -> FutexWait {
        guard let stop else { return gate.sleep(on: bed, while: seen, until: deadline) }
        return stop.sleep(gate, on: bed, while: seen, until: deadline)
    }

    private func isOver(_ deadline: UInt64?) -> Bool {
        if let stop, stop.isStopped { return true }
        guard let deadline else { return false }
        return MonotonicClock.remaining(until: deadline) == 0
    }
}
