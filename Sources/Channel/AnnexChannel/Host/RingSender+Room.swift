internal import AnnexLinux
internal import Synchronization

// Waiting for room.
extension RingSender {
    /// Sends the frame, and sleeps while there is no room.
    func send(_ frame: borrowing OutgoingFrame, until deadline: UInt64?) throws(CallFailure) {
        try sendWaiting(frame.transfer, until: deadline) { attempt(frame, willSleep: true) }
    }

    /// Like the other `send`, with bytes that are lent for the duration of the call.
    func send(
        _ frame: OutgoingBytes, until deadline: UInt64?, beforeLast: () -> CallFailure?
    ) throws(CallFailure) {
        try sendWaiting(frame.transfer, until: deadline) {
            attempt(frame, willSleep: true, beforeLast: beforeLast)
        }
    }

    /// Attempts to send until an attempt succeeds, and waits for room between the attempts. Without a deadline,
    /// `sendLimit` limits the wait. For a large message, this limit applies to each piece anew.
    private func sendWaiting(
        _ transfer: LargeTransfer?, until deadline: UInt64?, _ attempt: () -> Attempt
    ) throws(CallFailure) {
        var patience = SendPatience(perPiece: state.configuration.sendLimit, transfer: transfer, deadline: deadline)
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

    /// Sends the frame from a task. A task must not block a thread, so it tries again after pauses that grow.
    nonisolated(nonsending) func sendLater(
        _ frame: consuming OutgoingFrame, until deadline: UInt64?
    ) async throws(CallFailure) {
        var patience = SendPatience(
            perPiece: state.configuration.sendLimit, transfer: frame.transfer, deadline: deadline)
        var pause = Duration.microseconds(50)
        while true {
            switch attempt(frame) {
            case .sent: return
            case .failed(let failure): throw state.report(failure)
            // While the extension reads, the pauses stay short.
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

    func beginSleep(_ sender: inout HostSender) {
        roomSleepers.add(1, ordering: .sequentiallyConsistent)
        sender.beginSleep()
    }

    private func sleepForRoom(_ seen: UInt32, until limit: UInt64, deadline: UInt64?) throws(CallFailure) {
        let (gate, consumed, looking) = half.withLock { ($0.gate, $0.consumed, $0.spinner) }
        let nextCheck = MonotonicClock.deadline(after: RingLeader.longestSleep)
        // SYNC: `isClosed` is read after `roomSleepers` was increased. The thread that closes the channel sets
        // `isClosed` first. That thread then wakes sleepers until `roomSleepers` is zero, at most
        // `SleepGate.mostWakeUps` times. So this thread sees `isClosed`, or the closing thread sees that this thread
        // may sleep.
        let isOver = state.isClosed.load(ordering: .sequentiallyConsistent)
        // The event loop's thread reads the channels, so it may spin here but must not sleep.
        let mayNotSleep = state.loop.isCurrent
        let hasFound = !isOver && looking.finds(consumed, other: seen)
        let mustSleep = !isOver && !hasFound && !mayNotSleep
        let woken = mustSleep ? gate.sleep(on: consumed, while: seen, until: min(limit, nextCheck)) : .changed
        let now = MonotonicClock.now()
        // Whether the extension woke this thread without making room. A separate budget limits such wake-ups. This
        // budget has the same limit as the budget for futile wake-ups of a reader.
        let isFutile = woken == .woken && consumed.loadRelaxed() == seen
        let isWithin = half.withLock { sender in
            sender.endSleep()
            return !isFutile || state.isClosed.load(ordering: .acquiring) || sender.futile.spend(at: now)
        }
        roomSleepers.subtract(1, ordering: .sequentiallyConsistent)
        if case .failed(let errno) = woken { throw state.report(.violated(.sharedWord(errno: errno))) }
        guard isWithin else {
            throw state.report(.violated(.messageBudget(.wakeUps, limit: state.configuration.futileWakeUpsPerSecond)))
        }
        guard now < limit else { throw now >= deadline ?? .max ? .deadlineExceeded : .noRoom }
        if mayNotSleep, !hasFound, !isOver { throw .onEventLoop }
    }

    /// Wakes the threads that sleep for room, because the channel is closed.
    func wakeRoomSleepers() {
        for _ in 0..<SleepGate.mostWakeUps where roomSleepers.load(ordering: .sequentiallyConsistent) > 0 {
            peer.consumed.wakeSleepers()
            Processor.yield()
        }
    }
}
