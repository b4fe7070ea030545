internal import AnnexLinux

/// The sending half of an extension's end.
struct ExtensionSender: ~Copyable {
    var writer: RingWriter
    /// Wakes the host after a frame.
    private let wake: WakeGate
    /// Sleeps until the host has made room.
    private let gate: SleepGate
    private let consumed: SharedWord
    private let looking: RoomSpinner
    var arena: ArenaWriter
    /// Whether the host knows frames that stay in their place.
    private let framesMayStay: Bool
    /// The doorbell that was rung last: the host asks anew each time it goes to sleep.
    private var rung: UInt32 = 0
    /// Who may end the waiting besides the host; nil: nobody.
    var stop: StopGate?

    init(own: borrowing OwnRegion, peer: borrowing PeerRegion, waiting: WaitingStyle, framesMayStay: Bool) {
        self.framesMayStay = framesMayStay
        writer = RingWriter(ring: own.ring, consumed: peer.consumed)
        wake = WakeGate(flag: peer.receiver)
        gate = SleepGate(flag: own.sender)
        consumed = peer.consumed
        arena = ArenaWriter(own.arena)
        looking = RoomSpinner(waiting, peer.processor)
    }

    /// Publishes what was written, and wakes a host that sleeps on it.
    /// - Parameter isAttended: whether it answers a caller that looks for it by itself.
    /// - Returns: whether the host sleeps in epoll and wants its doorbell.
    mutating func flush(isAttended: Bool = false) -> Bool {
        guard let word = writer.publish() else { return false }
        let state = wake.state()
        if state == ReceiverState.asleep { word.wake() }
        return takeDoorbell(state, isAttended: isAttended)
    }

    /// What has become of a frame that is small.
    enum AtOnce {
        /// More is to be done than to publish it, and nothing was.
        case notDone
        case published
        /// The same, and the host is to be rung.
        case publishedAndRings
    }

    /// Publishes a small answer that its caller looks for by itself where that is all there is to do, and wakes a host that
    /// sleeps.
    @inline(__always) mutating func publishAtOnce(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, isAttended: Bool
    ) -> AtOnce {
        guard let word = unsafe publishUntold(header, payload, isAttended: isAttended) else { return .notDone }
        return tell(word) ? .publishedAndRings : .published
    }

    /// Publishes such an answer, without asking whether the host sleeps: `tell` does, later, unless the host is known to
    /// have taken it.
    /// - Returns: nil where more is to be done, and nothing was.
    @inline(__always) mutating func publishUntold(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, isAttended: Bool
    ) -> WritableWord? {
        guard isAttended else { return nil }
        return unsafe writer.publishAtOnce(
            header.plainWord, call: header.call, payload: payload,
            // A host numbers a raw call one above the last one once it has taken that one's answer; others not.
            stays: framesMayStay && RawCalls.isRaw(header.call), known: header.call &- 1)
    }

    /// Wakes a host that sleeps on an attended answer.
    /// - Returns: whether it is to be rung instead.
    @inline(__always) mutating func tell(_ word: WritableWord) -> Bool {
        let state = wake.state()
        if state == ReceiverState.asleep { word.wake() }
        return takeDoorbell(state, isAttended: true)
    }

    /// Whether the host is to be told that there is something to read, because nobody else makes it look.
    mutating func wantsDoorbell() -> Bool {
        takeDoorbell(wake.state(), isAttended: false)
    }

    /// Waits until the host has made some room. Without limit: a host that never reads has given its extension up.
    mutating func waitForRoom(payload: UInt32) throws(ChannelViolation) {
        try waitForRoom { (sender) throws(ChannelViolation) in try sender.writer.hasRoom(payload: payload) }
    }

    mutating func waitForRoom(
        _ hasRoom: (inout ExtensionSender) throws(ChannelViolation) -> Bool
    ) throws(ChannelViolation) {
        if looking.finds(consumed, other: writer.seen) { return }
        gate.announce()
        defer { gate.withdraw() }
        guard try !hasRoom(&self) else { return }
        if case .refused(let errno) = sleep(while: writer.seen) { throw .sharedWord(errno: errno) }
    }

    /// Whether nobody waits for room any more.
    var isStopped: Bool {
        stop?.isStopped ?? false
    }

    private func sleep(while seen: UInt32) -> FutexWait {
        guard let stop else { return gate.sleep(on: consumed, while: seen, until: nil) }
        return stop.sleep(gate, on: consumed, while: seen, until: nil)
    }

    private mutating func takeDoorbell(_ state: UInt32, isAttended: Bool) -> Bool {
        guard ReceiverState.isDoorbell(state, isAttended: isAttended), state != rung else { return false }
        rung = state
        return true
    }
}

extension ExtensionSender {
    /// Sends a message in pieces, each as soon as the host has read an earlier one.
    /// - Parameter beforeLast: what has to go ahead of the whole.
    mutating func sendLarge(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, _ control: borrowing ControlSocket,
        isAttended: Bool, beforeLast: () throws(ExtensionFailure) -> Void = {}
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
            if done == payload.count { try beforeLast() }
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
            // What answers an attended call rang for nobody, and a host that does not look makes no room.
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
