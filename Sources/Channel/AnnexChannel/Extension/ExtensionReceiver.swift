internal import AnnexLinux

/// The receiving half of an extension's endpoint.
struct ExtensionReceiver: ~Copyable {
    /// The most bytes of memory that are kept for the next large message.
    private static let largestSpare = 4 << 20

    var reader: RingReader
    /// Sleeps until the host has published something.
    private let gate: SleepGate
    /// The bell that the host rings; nil if the host instead wakes this side on the word that the host publishes.
    private let bell: SharedWord?
    /// Tells whether the portal, a socket to the broker, has a message; nil if this process has no portal.
    var portal: PortalWord?
    /// Wakes a host that waits for room.
    private let wake: WakeGate
    /// This side's read position. A host that waits for room sleeps on this word.
    private let consumed: WritableWord
    private var spinner: Spinner
    private let arena: ArenaBytes
    /// The message that is arriving in pieces.
    private var large: LargeMessage?
    /// The memory of the last large message, kept for the next large message.
    private var spare: [UInt8] = []
    /// Lets another thread end this side's waits; nil if only the host can end them.
    var stop: StopGate?

    init(own: borrowing OwnRegion, peer: borrowing PeerRegion, waiting: WaitingStyle, hasBell: Bool) {
        reader = RingReader(ring: peer.ring, consumed: own.consumed)
        gate = SleepGate(flag: own.receiver)
        bell = hasBell ? own.bell : nil
        wake = WakeGate(flag: peer.sender)
        consumed = own.consumed
        arena = peer.arena
        spinner = Spinner(waiting, hint: ProcessorHint(own: own.processor, peer: peer.processor))
    }

    /// Returns the next published frame, or the next complete message in pieces. Gives the frame's room back to the
    /// host at once, because the work that follows may take long.
    mutating func read() throws(ChannelViolation) -> Frame? {
        while let frame = try reader.next() {
            switch frame.kind {
            case .large: try begin(frame)
            case .piece: if let whole = try receivePiece(frame) { return whole }
            default:
                giveBack()
                return frame
            }
        }
        return nil
    }

    /// Takes the next frame if it is a request without descriptors, and copies its payload into the buffer.
    /// - Returns: nil if the next frame is of another kind, or if no frame came before the wait ended.
    mutating func nextPlainRequest(
        into buffer: borrowing RequestBuffer, if isServed: (UInt16) -> Bool, until deadline: UInt64?
    ) throws(ChannelViolation) -> CheckedHeader? {
        var header = reader.poll(for: .bareRequest, kind: .request)
        if header == nil { header = try reader.poll() }
        if header == nil {
            _ = try wait(until: deadline)
            header = try reader.poll()
        }
        guard let header, header.kind == .request, header.descriptors == 0, isServed(header.method) else { return nil }
        buffer.load(header, from: reader)
        pass(header)
        return header
    }

    /// The number of the next frame's call, if the frame is a request without terms and comes within
    /// `UncheckedAnswer.mostPolls` checks; nil otherwise.
    @inline(__always) mutating func callOfNextRequest() -> UInt64? {
        var left = isWorthPolling ? UncheckedAnswer.mostPolls : 0
        while !reader.hasNews {
            guard left > 0 else { return nil }
            left &-= 1
            Processor.pause()
        }
        return reader.poll(for: .bareRequest, kind: .request)?.call
    }

    /// Begins a message in pieces. The host may have given up the previous message in pieces before its last piece. The
    /// previous message is then dropped.
    private mutating func begin(_ frame: Frame) throws(ChannelViolation) {
        let (header, terms) = try LargeHeader.read(frame.payload, atMost: .max)
        var memory: [UInt8] = []
        // The array is swapped out first, because an array with two references would be copied when it is written.
        swap(&memory, &spare)
        // `removeAll(keepingCapacity:)` would still allocate new memory.
        memory.removeLast(memory.count)
        large = LargeMessage(header, first: frame, terms: terms, to: .own, spare: consume memory)
        giveBack()
    }

    private mutating func receivePiece(_ frame: Frame) throws(ChannelViolation) -> Frame? {
        guard large != nil else { throw .pieceOfNothing(call: frame.call) }
        try large?.copyPiece(Hostile(UInt32(frame.method)), from: arena)
        reader.giveBackAll()
        _ = wake.wakeIfAsleep(on: consumed)
        guard let whole = large?.whole else { return nil }
        large = nil
        return whole
    }

    /// Keeps the memory of a large message for the next large message. The old message must no longer be in use.
    mutating func recycle(_ bytes: consuming [UInt8]) {
        if bytes.capacity <= ExtensionReceiver.largestSpare { spare = bytes }
    }

    /// Moves on from a frame that was copied, and gives its room back.
    mutating func pass(_ header: CheckedHeader) {
        reader.pass(header)
        giveBack()
    }

    /// Returns the room of the frames that this side has read, and wakes a host that waits for room.
    private mutating func giveBack() {
        if reader.giveBack() { _ = wake.wakeIfAsleep(on: consumed) }
    }

    /// Waits until there is a frame to read, or the portal has a message.
    /// - Returns: false if `deadline` has passed or another thread ended the wait.
    mutating func wait(until deadline: UInt64?) throws(ChannelViolation) -> Bool {
        if reader.hasNews { return true }
        spinner.begin()
        while !reader.hasNews {
            if spinner.spin() {
                if spinner.isTimeForFullCheck, isOver(deadline) { return false }
            } else if try !sleep(until: deadline) {
                return false
            } else if portal?.pass() ?? false {
                return true
            }
        }
        return true
    }

    private mutating func sleep(until deadline: UInt64?) throws(ChannelViolation) -> Bool {
        spinner.willSleep()
        let (bed, seen) = goToBed()
        let hasNews = reader.hasNews || portal?.hasChanged ?? false
        let woken = hasNews ? .changed : sleep(on: bed, while: seen, until: deadline)
        gate.withdraw()
        spinner.slept()
        if case .failed(let errno) = woken { throw .sharedWord(errno: errno) }
        return reader.hasNews || portal?.hasChanged ?? false || !isOver(deadline)
    }

    /// Whether the next request is likely to come before a sleep.
    var isWorthPolling: Bool { spinner.isWorthPolling }

    /// Announces a sleep.
    /// - Returns: the word to sleep on, and its value.
    private func goToBed() -> (bed: SharedWord, seen: UInt32) {
        guard let bell else {
            gate.announce()
            return (reader.bed, reader.bedValue)
        }
        // SYNC: the bell is read before the flag is set. So a host that sees the flag rings the bell after this read.
        let seen = bell.loadAcquire()
        gate.announce(ReceiverState.asleepOnBell)
        return (bell, seen)
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
