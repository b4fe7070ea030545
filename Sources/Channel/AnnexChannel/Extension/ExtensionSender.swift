internal import AnnexLinux

/// The sending half of an extension's endpoint.
struct ExtensionSender: ~Copyable {
    var writer: RingWriter
    /// Wakes the host after a frame.
    private let wake: WakeGate
    /// Sleeps until the host has made room.
    private let gate: SleepGate
    private let consumed: SharedWord
    private let spinner: RoomSpinner
    var arena: ArenaWriter
    /// Whether the host accepts a frame that is written to the same place as the frame before it (`PlaceMarks`).
    private let framesMayStay: Bool
    /// The host's state (`ReceiverState`) when this side last rang the doorbell. The host sets a new state each time it
    /// goes to sleep.
    private var rung: UInt32 = 0
    /// Lets another thread end this side's waits; nil if only the host can end them.
    var stop: StopGate?

    init(own: borrowing OwnRegion, peer: borrowing PeerRegion, waiting: WaitingStyle, framesMayStay: Bool) {
        self.framesMayStay = framesMayStay
        writer = RingWriter(ring: own.ring, consumed: peer.consumed)
        wake = WakeGate(flag: peer.receiver)
        gate = SleepGate(flag: own.sender)
        consumed = peer.consumed
        arena = ArenaWriter(own.arena)
        spinner = RoomSpinner(waiting, processor: peer.processor)
    }

    /// Publishes the frames that were written, and wakes a host that sleeps on them.
    /// - Parameter isAttended: whether the frame answers a caller that reads the ring itself.
    /// - Returns: whether the host sleeps in epoll and the caller must ring the doorbell.
    mutating func flush(isAttended: Bool = false) -> Bool {
        guard let word = writer.publish() else { return false }
        let state = wake.state()
        if state == ReceiverState.asleep { word.wake() }
        return claimDoorbell(state, isAttended: isAttended)
    }

    /// Publishes a small answer to an attended call without checking whether the host sleeps.
    /// - Returns: nil if nothing was sent. Then the call is not attended, or `publishAtOnce` cannot write the frame.
    @inline(__always) mutating func publishUnchecked(
        _ header: FrameHeader, payload: UnsafeRawBufferPointer, isAttended: Bool
    ) -> UncheckedAnswer? {
        guard isAttended else { return nil }
        let word = unsafe writer.publishAtOnce(
            header.plainWord, call: header.call, payload: payload,
            // The host gives a raw call the number N + 1 only after it has taken the answer to call N.
            stays: framesMayStay && RawCalls.isRaw(header.call), known: header.call &- 1)
        return word.map { UncheckedAnswer(word: $0, call: header.call) }
    }

    /// Wakes a host that sleeps until the answer to an attended call arrives.
    /// - Returns: whether the caller must ring the doorbell instead.
    @inline(__always) mutating func wake(on word: WritableWord) -> Bool {
        let state = wake.state()
        if state == ReceiverState.asleep { word.wake() }
        return claimDoorbell(state, isAttended: true)
    }

    /// Whether the host asks for a doorbell that this side has not rung yet. If so, the caller must ring the doorbell.
    /// Check this before this side waits for room. If answers that rang no doorbell have filled the ring, the host
    /// reads the ring only after a doorbell.
    mutating func wantsDoorbell() -> Bool {
        claimDoorbell(wake.state(), isAttended: false)
    }

    /// Waits until the host has made some room. The wait has no time limit, because a host that never reads has given
    /// up its extension.
    mutating func waitForRoom(payload: UInt32) throws(ChannelViolation) {
        try waitForRoom { (sender) throws(ChannelViolation) in try sender.writer.hasRoom(payload: payload) }
    }

    mutating func waitForRoom(
        _ hasRoom: (inout ExtensionSender) throws(ChannelViolation) -> Bool
    ) throws(ChannelViolation) {
        if spinner.finds(consumed, other: writer.seen) { return }
        gate.announce()
        defer { gate.withdraw() }
        guard try !hasRoom(&self) else { return }
        if case .failed(let errno) = sleep(while: writer.seen) { throw .sharedWord(errno: errno) }
    }

    /// Whether another thread has ended this side's waits.
    var isStopped: Bool {
        stop?.isStopped ?? false
    }

    private func sleep(while seen: UInt32) -> FutexWait {
        guard let stop else { return gate.sleep(on: consumed, while: seen, until: nil) }
        return stop.sleep(gate, on: consumed, while: seen, until: nil)
    }

    private mutating func claimDoorbell(_ state: UInt32, isAttended: Bool) -> Bool {
        guard ReceiverState.isDoorbell(state, isAttended: isAttended), state != rung else { return false }
        rung = state
        return true
    }
}

extension ExtensionSender {
    /// Sends a message in pieces, and each piece as soon as there is room for the piece.
    mutating func sendLarge(
        _ header: FrameHeader, payload: UnsafeRawBufferPointer, control: borrowing ControlSocket,
        isAttended: Bool
    ) throws(ExtensionFailure) {
        var first = header
        first.kind = .large
        let head = LargeHeader(kind: header.kind, length: UInt32(clamping: payload.count)).encoded(nil)
        try makeRoom(control) { (sender) throws(ChannelViolation) in
            try sender.writer.hasRoom(payload: UInt32(LargeHeader.size))
        }
        unsafe head.withUnsafeBytes { unsafe writer.write(first, payload: $0) }
        var done = 0
        while done < payload.count {
            let piece = unsafe UnsafeRawBufferPointer(
                rebasing: payload[done..<min(done + Int(WireFormat.pieceSize), payload.count)])
            done += piece.count
            try makeRoom(control) { (sender) throws(ChannelViolation) in try sender.hasRoomForPiece() }
            unsafe writer.write(piece: piece, of: header.call, &arena)
            if flush(isAttended: isAttended) { try control.ring() }
        }
    }

    private mutating func hasRoomForPiece() throws(ChannelViolation) -> Bool {
        try writer.hasRoomForPiece(&arena)
    }

    private mutating func makeRoom(
        _ control: borrowing ControlSocket, _ hasRoom: (inout ExtensionSender) throws(ChannelViolation) -> Bool
    ) throws(ExtensionFailure) {
        while try !checked(hasRoom) {
            // Answers to attended calls may have filled the ring without a doorbell. The host then reads the ring only
            // after a doorbell.
            if flush() || wantsDoorbell() { try control.ring() }
            _ = try checked { (sender) throws(ChannelViolation) in
                try sender.waitForRoom(hasRoom)
                return true
            }
            if isStopped { throw .ended }
        }
    }

    private mutating func checked(
        _ body: (inout ExtensionSender) throws(ChannelViolation) -> Bool
    ) throws(ExtensionFailure) -> Bool {
        do throws(ChannelViolation) {
            return try body(&self)
        } catch {
            throw .violated(error)
        }
    }
}

/// An answer that was published without checking whether the host sleeps. No check is needed if the host's next request
/// shows that the host has taken the answer. `SleepModelTests` covers every order of events.
///
/// If no such request has arrived, this side must call `ExtensionSender.wake(on:)` before it waits or runs other code.
struct UncheckedAnswer {
    /// How often this side looks for the next request before it checks whether the host sleeps.
    static let mostPolls = 16

    let word: WritableWord
    let call: UInt64

    /// Whether a request with the number `next` shows that the host has taken this answer. The host gives a raw call
    /// the number N + 1 only after it has taken the answer to call N.
    @inline(__always) func isReceived(accordingTo next: UInt64) -> Bool {
        RawCalls.isRaw(next) && next == call &+ 1
    }
}
