internal import AnnexLinux
internal import Glibc
internal import Synchronization

extension HostEndpoint {
    /// How an attempt to send went.
    enum Attempt {
        case sent
        /// No room; the extension's position that must change before there is any.
        case full(UInt32)
        case failed(CallFailure)
    }

    /// Writes and publishes the frame if there is room now.
    /// - Parameters:
    ///   - marks: added to the frame's own.
    ///   - willSleep: whether the caller sleeps for room and calls `endSleep` afterwards.
    func attempt(
        _ frame: borrowing OutgoingFrame, marks: FrameMarks = [], willSleep: Bool = false
    ) -> Attempt {
        if let transfer = frame.transfer { return attempt(frame, transfer, willSleep: willSleep) }
        var header = frame.header
        header.marks.formUnion(marks)
        return attempt(frame, header, willSleep: willSleep)
    }

    private func attempt(
        _ frame: borrowing OutgoingFrame, _ header: FrameHeader, willSleep: Bool
    ) -> Attempt {
        sending.withLock { sender in
            guard !isClosed.load(ordering: .acquiring) else { return .failed(closedReason) }
            do throws(ChannelViolation) {
                try sender.sendCancels()
                guard try sender.writer.hasRoom(payload: frame.length &+ sender.writer.spare(header.kind)) else {
                    let seen = sender.writer.seen
                    // What is written makes room only once it is read.
                    flush(&sender)
                    if willSleep { beginSleep(&sender) }
                    return .full(seen)
                }
            } catch {
                return .failed(.violated(error))
            }
            if let failure = handOver(frame) {
                // Cancels that had waited are not to wait for the next frame.
                flush(&sender)
                return .failed(failure)
            }
            tap?.record(sent: header, frame)
            // SAFETY: the writer copies the bytes and keeps nothing.
            unsafe frame.payload.withUnsafeBytes {
                unsafe sender.writer.write(header, terms: frame.terms, payload: $0)
            }
            tally.framesSent.add()
            tally.bytesSent.add(UInt64(frame.payload.count))
            flush(&sender)
            return .sent
        }
    }

    /// Sends the frame, and sleeps for room where there is none.
    func send(_ frame: borrowing OutgoingFrame, until deadline: UInt64?) throws(CallFailure) {
        try sendWaiting(frame.transfer, until: deadline) { attempt(frame, willSleep: true) }
    }

    /// Attempts again and again, and sleeps for room in between. Without a deadline, each piece of a large message has a
    /// time of its own.
    func sendWaiting(
        _ transfer: LargeTransfer?, until deadline: UInt64?, _ attempt: () -> Attempt
    ) throws(CallFailure) {
        var patience = SendPatience(configuration.sendLimit, transfer, deadline)
        while true {
            switch attempt() {
            case .sent: return
            case .failed(let failure): throw report(failure)
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
        var patience = SendPatience(configuration.sendLimit, frame.transfer, deadline)
        var pause = Duration.microseconds(50)
        while true {
            switch attempt(frame) {
            case .sent: return
            case .failed(let failure): throw report(failure)
            // A reader at work is looked after more often.
            case .full: if patience.hasMoved() { pause = .microseconds(50) }
            }
            guard !Task.isCancelled else { throw .cancelled }
            let now = MonotonicClock.now()
            guard now < patience.limit else { throw now >= deadline ?? .max ? .deadlineExceeded : .noRoom }
            await withCheckedContinuation { continuation in
                loop.schedule(after: pause) { continuation.resume() }
            }
            pause = min(pause * 2, .milliseconds(5))
        }
    }

    /// Tells the extension that nobody waits for an answer any more; later, where there is no room now.
    func sendCancel(_ call: UInt64) {
        let failure = sending.withLock { sender in
            guard !isClosed.load(ordering: .acquiring) else { return nil as CallFailure? }
            sender.cancels.append(call)
            if sender.cancels.count > configuration.mostOpenCalls { sender.cancels.removeFirst() }
            return flushCancels(&sender)
        }
        if let failure { _ = report(failure) }
    }

    /// Sends the cancels that wait for room, once there may be some.
    func sendWaitingCancels() {
        let failure = sending.withLock { sender in
            sender.cancels.isEmpty ? nil : flushCancels(&sender)
        }
        if let failure { _ = report(failure) }
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

    /// Publishes what was written.
    @inline(__always) func flush(_ sender: inout HostSender) {
        if sender.flush() { tally.wakeUpsForFrames.add() }
    }

    /// A violation that was met while sending closes the channel, outside the lock.
    func report(_ failure: CallFailure) -> CallFailure {
        if case .violated(let violation) = failure { close(for: violation) }
        return failure
    }

    /// Sends the descriptors ahead of their frame, so that the receiver never has to wait for them.
    func handOver(_ frame: borrowing OutgoingFrame) -> CallFailure? {
        guard !frame.descriptors.isEmpty else { return nil }
        let tag = DescriptorTag(call: frame.header.call, count: UInt32(frame.descriptors.count))
        do throws(SystemError) {
            try control.send(tag.encoded(), frame.descriptors)
            return nil
        } catch {
            switch error.errno {
            case EAGAIN: return .noRoom
            case EPIPE, ECONNRESET: return .ended(reason: "its end of the control socket is closed")
            default: return .system(error)
            }
        }
    }

    func beginSleep(_ sender: inout HostSender) {
        roomSleepers.add(1, ordering: .sequentiallyConsistent)
        sender.beginSleep()
    }

    private func sleepForRoom(_ seen: UInt32, until limit: UInt64, deadline: UInt64?) throws(CallFailure) {
        let (gate, consumed, looking) = sending.withLock { ($0.gate, $0.consumed, $0.looking) }
        let lookAround = MonotonicClock.deadline(after: HostEndpoint.longestSleep)
        // SYNC: read after `roomSleepers` went up; whoever closes sets the mark first and then wakes until it is down.
        let isOver = isClosed.load(ordering: .sequentiallyConsistent)
        // The event loop's thread may look, but not sleep: it reads the channels.
        let mayNotSleep = loop.isCurrent
        let hasFound = !isOver && looking.finds(consumed, other: seen)
        let mustSleep = !isOver && !hasFound && !mayNotSleep
        let woken = mustSleep ? gate.sleep(on: consumed, while: seen, until: min(limit, lookAround)) : .changed
        let now = MonotonicClock.now()
        // Woken by the peer, which has made no room: it may do so as often as it may wake a reader for nothing.
        let isFutile = woken == .woken && consumed.loadRelaxed() == seen
        let isWithin = sending.withLock { sender in
            sender.endSleep()
            return !isFutile || isClosed.load(ordering: .acquiring) || sender.futile.spend(at: now)
        }
        roomSleepers.subtract(1, ordering: .sequentiallyConsistent)
        if case .refused(let errno) = woken { throw report(.violated(.sharedWord(errno: errno))) }
        guard isWithin else {
            throw report(.violated(.messageBudget(.wakeUps, limit: configuration.futileWakeUpsPerSecond)))
        }
        guard now < limit else { throw now >= deadline ?? .max ? .deadlineExceeded : .noRoom }
        if mayNotSleep, !hasFound, !isOver { throw .onEventLoop }
    }
}
