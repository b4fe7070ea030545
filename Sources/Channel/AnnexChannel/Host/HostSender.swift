internal import AnnexLinux

/// The sending half of a host's endpoint. Only the thread that holds the lock of this half may write.
struct HostSender: ~Copyable, Sendable {
    var writer: RingWriter
    /// Wakes the extension after a frame was published.
    private let wake: WakeGate
    /// Sleeps until the extension has made room.
    let gate: SleepGate
    /// The extension's read position. Threads that wait for room sleep on this word.
    let consumed: SharedWord
    let spinner: RoomSpinner
    /// How many threads sleep for room. While this is not zero, the flag of `gate` is set.
    private(set) var sleepers = 0
    /// Calls that this side has given up and whose cancel frames wait for room.
    var cancels: [UInt64] = []
    /// Limits how often the extension may wake threads that wait for room without making room.
    var futile: RateBudget
    private let tap: (any FrameTap)?
    var arena: ArenaWriter
    /// Whether the extension supports frames that are written in the place of the previous frame (`PlaceMarks`).
    var framesMayStay = false
    /// The message that this side is sending in pieces. The message's sender holds the strong reference.
    weak var underWay: LargeTransfer?

    init(
        own: borrowing OwnRegion, peer: borrowing PeerRegion, configuration: ChannelConfiguration,
        tap: (any FrameTap)?
    ) {
        self.tap = tap
        writer = RingWriter(ring: own.ring, consumed: peer.consumed)
        wake = WakeGate(flag: peer.receiver, bell: peer.bell, most: 1)
        gate = SleepGate(flag: own.sender)
        consumed = peer.consumed
        spinner = RoomSpinner(configuration.waiting, processor: peer.processor)
        futile = RateBudget(limit: configuration.futileWakeUpsPerSecond, period: configuration.budgetPeriod)
        arena = ArenaWriter(own.arena)
    }

    /// Publishes the frames that were written, and wakes the extension if it sleeps.
    /// - Returns: whether this side made a system call to wake the extension.
    @inline(__always) mutating func flush() -> Bool {
        guard let word = writer.publish() else { return false }
        return wake.wakeIfAsleep(on: word)
    }

    mutating func beginSleep() {
        sleepers += 1
        gate.announce()
    }

    mutating func endSleep() {
        sleepers -= 1
        // While another thread sleeps, the flag stays set, so that the extension wakes that thread. That thread may
        // wait at the same position, but for the room of a larger frame.
        if sleepers == 0 { gate.withdraw() }
    }

    /// Writes as many of the waiting cancels as there is room for.
    mutating func sendCancels() throws(ChannelViolation) {
        while let call = cancels.first, try writer.hasRoom(payload: 0) {
            let header = FrameHeader(kind: .cancel, call: call)
            tap?.record(sent: header)
            writer.write(header)
            cancels.removeFirst()
        }
    }
}

// Messages in pieces.
extension HostSender {
    /// Whether there is room for the frame, or for the next frame of a message in pieces.
    mutating func hasRoom(for frame: OutgoingBytes) throws(ChannelViolation) -> Bool {
        guard let transfer = frame.transfer else {
            return try writer.hasRoom(payload: frame.length &+ writer.spare(frame.header.kind))
        }
        return try hasRoom(for: transfer)
    }

    func isUnderWay(_ transfer: LargeTransfer) -> Bool { underWay === transfer }

    /// Whether the transfer's next frame can be written. It can if no other transfer is under way and the ring has
    /// room. For a piece, the arena must have room too.
    private mutating func hasRoom(for transfer: LargeTransfer) throws(ChannelViolation) -> Bool {
        guard let underWay else { return try writer.hasRoom(payload: 64) }
        guard underWay === transfer else {
            // This call reads the extension's position. A thread that waits for the end of the current transfer then
            // sleeps on the newest value of that position.
            try writer.refreshSeen()
            return false
        }
        return try writer.hasRoomForPiece(&arena)
    }

    mutating func begin(_ transfer: LargeTransfer, header: FrameHeader, terms: RequestTerms?, length: Int) {
        underWay = transfer
        var first = header
        first.kind = .large
        let head = LargeHeader(kind: header.kind, length: UInt32(clamping: length)).encoded(terms)
        // SAFETY: the writer copies the bytes and keeps no reference.
        unsafe head.withUnsafeBytes { unsafe writer.write(first, payload: $0) }
    }

    mutating func write(piece: UnsafeRawBufferPointer, of call: UInt64) {
        unsafe writer.write(piece: piece, of: call, &arena)
    }

    mutating func end(_ transfer: LargeTransfer) {
        if underWay === transfer { underWay = nil }
    }
}
