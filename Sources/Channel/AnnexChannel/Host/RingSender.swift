internal import AnnexLinux
internal import Synchronization

/// The sending part of a host's endpoint: any number of threads and tasks write through it, one frame at a time.
///
/// It owns the memory of both rings, so that nothing that still runs for it, as a timer may, finds them gone.
final class RingSender: Sendable {
    let state: ChannelState
    let control: ControlLine
    let own: OwnRegion
    let peer: PeerRegion
    /// Both halves of the endpoint, in one word. The leader's is the first.
    let halves: LockPair<HostReceiver, HostSender>
    /// The extension, when it sleeps for a frame.
    private let sleeper: WakeGate
    let outbox = Mutex(HostOutbox())
    /// Threads that sleep for room or are about to.
    private let roomSleepers = Atomic<Int>(0)

    var half: HalfLock<HostSender> { halves.second }

    init(_ state: ChannelState, _ control: ControlLine, own: consuming OwnRegion, peer: consuming PeerRegion) {
        self.state = state
        self.control = control
        halves = LockPair(
            HostReceiver(own: own, peer: peer, configuration: state.configuration),
            HostSender(own: own, peer: peer, configuration: state.configuration, tap: state.tap))
        sleeper = WakeGate(flag: peer.receiver, bell: peer.bell, most: 1)
        self.own = own
        self.peer = peer
    }

    /// How an attempt to send went.
    enum Attempt {
        case sent
        /// No room; the extension's position that must change before there is any.
        case full(UInt32)
        case failed(CallFailure)
    }

    // MARK: Small frames at once

    /// Writes and publishes a small call without a limit of time, as most are, where that is all there is to do.
    /// - Parameter known: the call whose answer was taken last: the extension has taken everything up to it.
    /// - Returns: the word that the extension sleeps on, if it does; nil where there is more, and nothing was done.
    @inline(__always) func writeAtOnce(
        _ call: RawCall, _ id: UInt64, _ marks: FrameMarks, _ sender: inout HostSender, known: UInt64 = 0
    ) -> WritableWord? {
        guard call.limit == nil, sender.cancels.isEmpty, !state.isClosed.load(ordering: .acquiring) else { return nil }
        let header = FrameHeader(kind: .request, marks: marks, method: call.method)
        let word = unsafe sender.writer.publishAtOnce(
            header.plainWord, call: id, payload: call.payload,
            stays: sender.framesMayStay && marks.contains(.attended), known: known)
        if word != nil { unsafe countSent(call.payload.count) }
        return word
    }

    /// Wakes an extension that sleeps, once the sending half was let go of.
    @inline(__always) func wake(_ word: WritableWord) {
        if sleeper.wakeIfAsleepAfterAtomic(on: word) { half.withLock { _ in state.tally.wakeUpsForFrames.add() } }
    }

    @inline(__always) private func countSent(_ bytes: Int) {
        state.tally.framesSent.add()
        state.tally.bytesSent.add(UInt64(truncatingIfNeeded: bytes))
    }

    /// Sends a call of bare bytes that its caller waits for as the leader.
    /// - Returns: false where there is no room.
    func send(_ call: RawCall, _ id: UInt64, isAttended: Bool) throws(CallFailure) -> Bool {
        let terms = call.limit.map { RequestTerms(limit: $0) }
        let header = FrameHeader(
            kind: .request, marks: (terms == nil ? .bare : FrameMarks()).union(isAttended ? .attended : []),
            method: call.method, call: id)
        return try unsafe write(header, terms, call.payload)
    }

    /// Sends a one-way message of bare bytes.
    /// - Parameter flush: false only writes it: the extension sees it with the next that is not held back.
    /// - Returns: false where there is no room.
    func post(_ method: UInt16, _ payload: UnsafeRawBufferPointer, flush: Bool) throws(CallFailure) -> Bool {
        guard state.tap == nil else { return false }
        return try unsafe write(FrameHeader(kind: .event, method: method), nil, payload, flush: flush)
    }

    /// - Returns: false where there is no room.
    @inline(__always) private func write(
        _ header: FrameHeader, _ terms: RequestTerms?, _ payload: UnsafeRawBufferPointer, flush: Bool = true
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

    /// Publishes the messages that were held back, and wakes an extension that sleeps.
    func flush() {
        half.withLock { flush(&$0) }
    }

    /// Publishes what was written.
    @inline(__always) private func flush(_ sender: inout HostSender) {
        if sender.flush() { state.tally.wakeUpsForFrames.add() }
    }

    // MARK: Any frame

    /// Writes and publishes the frame if there is room now, or of one that goes in pieces as many as have room.
    /// - Parameter willSleep: whether the caller sleeps for room and calls `sleepForRoom` afterwards.
    func attempt(_ frame: borrowing OutgoingFrame, willSleep: Bool = false) -> Attempt {
        // SAFETY: lent for the call, which copies what it sends.
        unsafe frame.payload.withUnsafeBytes { bytes in
            unsafe attempt(
                OutgoingBytes(frame.header, frame.terms, bytes, frame.transfer), willSleep: willSleep
            ) {
                if let failure = control.handOver(frame.descriptors, for: frame.header.call) { return failure }
                unsafe state.tap?.record(sent: frame.header, frame.terms, bytes, frame.descriptors.numbers)
                return nil
            }
        }
    }

    /// The same with bytes that are lent for the call.
    /// - Parameter beforeLast: what has to go ahead of the whole.
    func attempt(
        _ frame: OutgoingBytes, willSleep: Bool, beforeLast: () -> CallFailure?
    ) -> Attempt {
        // Pieces are written each under the lock by itself: other frames go between them, so that nothing waits for more
        // than the pieces of one arena.
        while true {
            let step: Attempt? = half.withLock { sender in
                guard !state.isClosed.load(ordering: .acquiring) else { return .failed(state.closedReason) }
                do throws(ChannelViolation) {
                    try sender.sendCancels()
                    guard try sender.hasRoom(for: frame) else {
                        let seen = sender.writer.seen
                        // What is written makes room only once it is read.
                        flush(&sender)
                        if willSleep { beginSleep(&sender) }
                        return .full(seen)
                    }
                } catch {
                    return .failed(.violated(error))
                }
                // Cancels that had waited are not to wait for the next frame either.
                defer { flush(&sender) }
                guard let transfer = frame.transfer else { return write(frame, &sender, beforeLast) }
                return writePiece(frame, transfer, &sender, beforeLast)
            }
            if let step { return step }
        }
    }

    private func write(_ frame: OutgoingBytes, _ sender: inout HostSender, _ before: () -> CallFailure?) -> Attempt {
        if let failure = before() { return .failed(failure) }
        // SAFETY: the writer copies the bytes and keeps nothing.
        unsafe sender.writer.write(frame.header, terms: frame.terms, payload: frame.payload)
        unsafe countSent(frame.payload.count)
        return .sent
    }

    /// Writes the message's first frame or its next piece.
    /// - Returns: nil where there is more to come.
    private func writePiece(
        _ frame: OutgoingBytes, _ transfer: LargeTransfer, _ sender: inout HostSender, _ beforeLast: () -> CallFailure?
    ) -> Attempt? {
        state.tally.framesSent.add()
        let count = unsafe frame.payload.count
        guard sender.isUnderWay(transfer) else {
            sender.begin(transfer, frame.header, frame.terms, length: count)
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

    /// Tells the extension that nobody waits for an answer any more; later, where there is no room now.
    func sendCancel(_ call: UInt64) {
        let failure = half.withLock { sender in
            guard !state.isClosed.load(ordering: .acquiring) else { return nil as CallFailure? }
            sender.cancels.append(call)
            if sender.cancels.count > state.configuration.mostOpenCalls { sender.cancels.removeFirst() }
            return flushCancels(&sender)
        }
        if let failure { _ = state.report(failure) }
    }

    /// Sends the cancels that wait for room, once there may be some.
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

// Waiting for room.
extension RingSender {
    /// Sends the frame, and sleeps for room where there is none.
    func send(_ frame: borrowing OutgoingFrame, until deadline: UInt64?) throws(CallFailure) {
        try sendWaiting(frame.transfer, until: deadline) { attempt(frame, willSleep: true) }
    }

    /// The same with bytes that are lent for the call.
    func send(
        _ frame: OutgoingBytes, until deadline: UInt64?, beforeLast: () -> CallFailure?
    ) throws(CallFailure) {
        try sendWaiting(frame.transfer, until: deadline) {
            attempt(frame, willSleep: true, beforeLast: beforeLast)
        }
    }

    /// Attempts again and again, and sleeps for room in between. Without a deadline, each piece of a large message has a
    /// time of its own.
    private func sendWaiting(
        _ transfer: LargeTransfer?, until deadline: UInt64?, _ attempt: () -> Attempt
    ) throws(CallFailure) {
        var patience = SendPatience(state.configuration.sendLimit, transfer, deadline)
        while true {
            switch attempt() {
            case .sent: return
            case .failed(let failure): throw state.report(failure)
            case .full(let seen):
                _ = patience.hasMoved()
                try sleepForRoom(seen, until: patience.limit, deadline: deadline)
            }
        }
    }

    /// Sends the frame from a task, which must not hold up a thread: looks again every now and then.
    nonisolated(nonsending) func sendLater(
        _ frame: consuming OutgoingFrame, until deadline: UInt64?
    ) async throws(CallFailure) {
        var patience = SendPatience(state.configuration.sendLimit, frame.transfer, deadline)
        var pause = Duration.microseconds(50)
        while true {
            switch attempt(frame) {
            case .sent: return
            case .failed(let failure): throw state.report(failure)
            // A reader at work is looked after more often.
            case .full: if patience.hasMoved() { pause = .microseconds(50) }
            }
            guard !Task.isCancelled else { throw .cancelled }
            let now = MonotonicClock.now()
            guard now < patience.limit else { throw now >= deadline ?? .max ? .deadlineExceeded : .noRoom }
            await withCheckedContinuation { continuation in
                state.loop.schedule(after: pause) { continuation.resume() }
            }
            pause = min(pause * 2, .milliseconds(5))
        }
    }

    private func beginSleep(_ sender: inout HostSender) {
        roomSleepers.add(1, ordering: .sequentiallyConsistent)
        sender.beginSleep()
    }

    private func sleepForRoom(_ seen: UInt32, until limit: UInt64, deadline: UInt64?) throws(CallFailure) {
        let (gate, consumed, looking) = half.withLock { ($0.gate, $0.consumed, $0.looking) }
        let lookAround = MonotonicClock.deadline(after: RingLeader.longestSleep)
        // SYNC: read after `roomSleepers` went up; whoever closes sets the mark first and then wakes until it is down.
        let isOver = state.isClosed.load(ordering: .sequentiallyConsistent)
        // The event loop's thread may look, but not sleep: it reads the channels.
        let mayNotSleep = state.loop.isCurrent
        let hasFound = !isOver && looking.finds(consumed, other: seen)
        let mustSleep = !isOver && !hasFound && !mayNotSleep
        let woken = mustSleep ? gate.sleep(on: consumed, while: seen, until: min(limit, lookAround)) : .changed
        let now = MonotonicClock.now()
        // Woken by the peer, which has made no room: it may do so as often as it may wake a reader for nothing.
        let isFutile = woken == .woken && consumed.loadRelaxed() == seen
        let isWithin = half.withLock { sender in
            sender.endSleep()
            return !isFutile || state.isClosed.load(ordering: .acquiring) || sender.futile.spend(at: now)
        }
        roomSleepers.subtract(1, ordering: .sequentiallyConsistent)
        if case .refused(let errno) = woken { throw state.report(.violated(.sharedWord(errno: errno))) }
        guard isWithin else {
            throw state.report(.violated(.messageBudget(.wakeUps, limit: state.configuration.futileWakeUpsPerSecond)))
        }
        guard now < limit else { throw now >= deadline ?? .max ? .deadlineExceeded : .noRoom }
        if mayNotSleep, !hasFound, !isOver { throw .onEventLoop }
    }

    /// The channel is closed: the threads that sleep for room look around.
    func wakeRoomSleepers() {
        for _ in 0..<SleepGate.mostWakeUps where roomSleepers.load(ordering: .sequentiallyConsistent) > 0 {
            peer.consumed.wakeSleepers()
            Processor.yield()
        }
    }
}
