internal import AnnexLinux
internal import Synchronization

/// The part of a host's endpoint that sends. Any number of threads and tasks may write through this object, one frame
/// at a time.
///
/// This object owns the memory of both rings, so that the memory outlives everything that still uses it, such as a
/// timer.
final class RingSender: Sendable {
    let state: ChannelState
    let control: ControlLine
    let own: OwnRegion
    let peer: PeerRegion
    /// Both halves of the endpoint, with both locks in one word. The first half receives, the second half sends.
    let halves: LockPair<HostReceiver, HostSender>
    /// Wakes the extension if it sleeps until a frame arrives.
    private let sleeper: WakeGate
    let outbox = Mutex(HostOutbox())
    /// How many threads sleep until the ring has room, or are about to sleep.
    let roomSleepers = Atomic<Int>(0)

    var half: HalfLock<HostSender> { halves.second }

    init(state: ChannelState, control: ControlLine, own: consuming OwnRegion, peer: consuming PeerRegion) {
        self.state = state
        self.control = control
        halves = LockPair(
            first: HostReceiver(own: own, peer: peer, configuration: state.configuration),
            second: HostSender(own: own, peer: peer, configuration: state.configuration, tap: state.tap))
        sleeper = WakeGate(flag: peer.receiver, bell: peer.bell, most: 1)
        self.own = own
        self.peer = peer
    }

    /// The result of an attempt to send.
    enum Attempt {
        case sent
        /// The ring has no room. The value is the extension's read position. There can be room only after this position
        /// has changed.
        case full(UInt32)
        case failed(CallFailure)
    }

    // MARK: Small frames at once

    /// Writes and publishes a small call without a time limit, which is the common case. Does nothing if the call has a
    /// time limit, if cancels wait, if the channel is closed, or if `publishAtOnce` writes nothing.
    /// - Parameter known: the call whose answer was taken last. The extension has read everything up to that call.
    /// - Returns: the word that the extension may sleep on; nil if nothing was sent.
    @inline(__always) func writeAtOnce(
        _ call: RawCall, id: UInt64, marks: FrameMarks, sender: inout HostSender, known: UInt64 = 0
    ) -> WritableWord? {
        guard call.limit == nil, sender.cancels.isEmpty, !state.isClosed.load(ordering: .acquiring) else { return nil }
        let header = FrameHeader(kind: .request, marks: marks, method: call.method)
        let word = unsafe sender.writer.publishAtOnce(
            header.plainWord, call: id, payload: call.payload,
            stays: sender.framesMayStay && marks.contains(.attended), known: known)
        if word != nil { unsafe countSent(call.payload.count) }
        return word
    }

    /// Wakes the extension if it sleeps. Call this after releasing the sending half's lock.
    @inline(__always) func wake(_ word: WritableWord) {
        if sleeper.wakeIfAsleepAfterAtomic(on: word) { half.withLock { _ in state.tally.wakeUpsForFrames.add() } }
    }

    @inline(__always) private func countSent(_ bytes: Int) {
        state.tally.framesSent.add()
        state.tally.bytesSent.add(UInt64(truncatingIfNeeded: bytes))
    }

    /// Sends a call of plain bytes, made by the thread that is the leader.
    /// - Returns: false if there is no room.
    func send(_ call: RawCall, id: UInt64, isAttended: Bool) throws(CallFailure) -> Bool {
        let terms = call.limit.map { RequestTerms(limit: $0) }
        let header = FrameHeader(
            kind: .request, marks: (terms == nil ? .bare : FrameMarks()).union(isAttended ? .attended : []),
            method: call.method, call: id)
        return try unsafe write(header, terms: terms, payload: call.payload)
    }

    /// Sends a one-way message of plain bytes.
    /// - Parameter flush: false to write the message without publishing it. The next published message publishes this
    ///   message too.
    /// - Returns: false if there is no room or the channel is recorded.
    func post(_ method: UInt16, payload: UnsafeRawBufferPointer, flush: Bool) throws(CallFailure) -> Bool {
        guard state.tap == nil else { return false }
        return try unsafe write(FrameHeader(kind: .event, method: method), terms: nil, payload: payload, flush: flush)
    }

    /// - Returns: false if there is no room.
    @inline(__always) private func write(
        _ header: FrameHeader, terms: RequestTerms?, payload: UnsafeRawBufferPointer, flush: Bool = true
    ) throws(CallFailure) -> Bool {
        do throws(CallFailure) {
            return try half.withLock { (sender) throws(CallFailure) in
                defer { if flush { self.flush(&sender) } }
                guard !state.isClosed.load(ordering: .acquiring) else { throw state.closedReason }
                let length = UInt32(truncatingIfNeeded: payload.count) &+ (terms == nil ? 0 : RequestTerms.size)
                do throws(ChannelViolation) {
                    guard sender.cancels.isEmpty, try sender.writer.hasRoom(payload: length) else { return false }
                } catch {
                    throw .violated(error)
                }
                unsafe sender.writer.write(header, terms: terms, payload: payload, holds: !flush)
                countSent(payload.count)
                return true
            }
        } catch {
            throw state.report(error)
        }
    }

    /// Publishes messages that were written but not yet published, and wakes the extension if it sleeps.
    func flush() {
        half.withLock { flush(&$0) }
    }

    /// Publishes the frames that were written.
    @inline(__always) private func flush(_ sender: inout HostSender) {
        if sender.flush() { state.tally.wakeUpsForFrames.add() }
    }

    // MARK: Any frame

    /// Writes and publishes the frame if there is room now. For a message in pieces, writes as many of its frames as
    /// have room.
    /// - Parameter willSleep: whether the caller calls `sleepForRoom` next if there is no room.
    func attempt(_ frame: borrowing OutgoingFrame, willSleep: Bool = false) -> Attempt {
        // SAFETY: the bytes are lent for the duration of the call, and the call copies the bytes that it sends.
        unsafe frame.payload.withUnsafeBytes { bytes in
            unsafe attempt(
                OutgoingBytes(header: frame.header, terms: frame.terms, payload: bytes, transfer: frame.transfer),
                willSleep: willSleep
            ) {
                if let failure = control.handOver(frame.descriptors, for: frame.header.call) { return failure }
                unsafe state.tap?.record(
                    sent: frame.header, terms: frame.terms, payload: bytes, handedOver: frame.descriptors.numbers)
                return nil
            }
        }
    }

    /// Like the other `attempt`, with bytes that are lent for the call.
    /// - Parameter beforeLast: runs before the only or last frame is written. If it returns a failure, the attempt
    ///   ends.
    func attempt(
        _ frame: OutgoingBytes, willSleep: Bool, beforeLast: () -> CallFailure?
    ) -> Attempt {
        // The lock is taken again for each piece, so other frames can be written between the pieces. These frames wait
        // for at most as many pieces as the arena holds.
        while true {
            let step: Attempt? = half.withLock { sender in
                guard !state.isClosed.load(ordering: .acquiring) else { return .failed(state.closedReason) }
                do throws(ChannelViolation) {
                    try sender.sendCancels()
                    guard try sender.hasRoom(for: frame) else {
                        let seen = sender.writer.seen
                        // Frames that were written must be published, because they make room only after the extension
                        // has read them.
                        flush(&sender)
                        if willSleep { beginSleep(&sender) }
                        return .full(seen)
                    }
                } catch {
                    return .failed(.violated(error))
                }
                // This flush publishes the frame. If writing the frame fails, the flush still publishes the cancels
                // that have just been written.
                defer { flush(&sender) }
                guard let transfer = frame.transfer else {
                    return write(frame, sender: &sender, beforeLast: beforeLast)
                }
                return writePiece(frame, transfer: transfer, sender: &sender, beforeLast: beforeLast)
            }
            if let step { return step }
        }
    }

    private func write(_ frame: OutgoingBytes, sender: inout HostSender, beforeLast before: () -> CallFailure?)
        -> Attempt
    {
        if let failure = before() { return .failed(failure) }
        // SAFETY: the writer copies the bytes and keeps no reference.
        unsafe sender.writer.write(frame.header, terms: frame.terms, payload: frame.payload)
        unsafe countSent(frame.payload.count)
        return .sent
    }

    /// Writes the message's first frame or its next piece.
    /// - Returns: nil if more pieces follow.
    private func writePiece(
        _ frame: OutgoingBytes, transfer: LargeTransfer, sender: inout HostSender, beforeLast: () -> CallFailure?
    ) -> Attempt? {
        state.tally.framesSent.add()
        let count = unsafe frame.payload.count
        guard sender.isUnderWay(transfer) else {
            sender.begin(transfer, header: frame.header, terms: frame.terms, length: count)
            return nil
        }
        let done = transfer.sent.load(ordering: .relaxed)
        let next = min(done + Int(WireFormat.pieceSize), count)
        if next == count, let failure = beforeLast() { return .failed(failure) }
        unsafe sender.write(piece: UnsafeRawBufferPointer(rebasing: frame.payload[done..<next]), of: frame.header.call)
        transfer.sent.store(next, ordering: .relaxed)
        state.tally.bytesSent.add(UInt64(next - done))
        guard next == count else { return nil }
        sender.end(transfer)
        return .sent
    }

    // MARK: Cancels

    /// Sends a cancel frame for a call that its caller gave up. If there is no room, the frame is sent later.
    func sendCancel(_ call: UInt64) {
        let failure = half.withLock { sender in
            guard !state.isClosed.load(ordering: .acquiring) else { return nil as CallFailure? }
            sender.cancels.append(call)
            if sender.cancels.count > state.configuration.mostOpenCalls { sender.cancels.removeFirst() }
            return flushCancels(&sender)
        }
        if let failure { _ = state.report(failure) }
    }

    /// Sends as many of the waiting cancels as there is room for.
    func sendWaitingCancels() {
        let failure = half.withLock { sender in
            sender.cancels.isEmpty ? nil : flushCancels(&sender)
        }
        if let failure { _ = state.report(failure) }
    }

    private func flushCancels(_ sender: inout HostSender) -> CallFailure? {
        do throws(ChannelViolation) {
            try sender.sendCancels()
        } catch {
            return .violated(error)
        }
        flush(&sender)
        return nil
    }
}
