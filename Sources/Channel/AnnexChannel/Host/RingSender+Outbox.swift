internal import AnnexLinux
internal import Synchronization

// Frames that nobody waits for being sent.
extension RingSender {
    /// Sends the answer to a call of the extension's, unless the call has one or is for nobody.
    func answerHosted(_ call: UInt64, _ header: FrameHeader, _ payload: [UInt8]) {
        guard state.hosted.withLock({ $0.takeOut(call) }) else { return }
        sendSoon(OutgoingFrame(header: header, payload: payload))
    }

    func failHosted(_ call: UInt64, _ method: UInt16, code: UInt32, text: String) {
        answerHosted(
            call, FrameHeader(kind: .failure, method: method, call: call), StreamFrame.reset(code: code, text))
    }

    /// Sends a frame now or as soon as there is room, without waiting. The frame has no descriptors and no terms.
    func sendSoon(_ frame: consuming OutgoingFrame) {
        let copy = OutgoingFrame.Copy(header: frame.header, payload: frame.payload)
        // Under the lock from the look to the sending: otherwise a finish could overtake its last message's credit.
        let (failure, mustWait) = outbox.withLock { outbox in
            let isFirst = outbox.isEmpty
            if isFirst {
                switch attempt(copy.frame) {
                case .sent: return (nil as CallFailure?, false)
                case .failed(let failure): return (failure, false)
                case .full: break
                }
            }
            outbox.append(copy, at: MonotonicClock.now())
            // What waited before may have left a timer that is far away.
            if isFirst { lookAfter(&outbox, in: HostOutbox.shortestPause) }
            return (nil, true)
        }
        if let failure { _ = state.report(failure) }
        if mustWait { checkOutbox() }
    }

    /// Sends what waits, once there may be room.
    /// - Returns: whether nothing waits any more.
    @discardableResult
    func flushOutbox() -> Bool {
        let (failure, isEmpty) = outbox.withLock { outbox in
            while let next = outbox.next {
                switch attempt(next.frame) {
                case .sent: outbox.removeNext(at: MonotonicClock.now())
                case .full: return (nil as CallFailure?, false)
                case .failed(let failure):
                    outbox.removeAll()
                    return (failure, true)
                }
            }
            return (nil, true)
        }
        if let failure { _ = state.report(failure) }
        return isEmpty
    }

    /// An extension that asks again and again and reads nothing uses up its budget. Flushes first: the extension may have
    /// made room while its host stood still.
    private func checkOutbox() {
        if !flushOutbox() { _ = isWithinOutbox() }
    }

    /// - Returns: false if too much waits, or for too long: the channel is closed then.
    private func isWithinOutbox() -> Bool {
        guard let excess = outbox.withLock({ $0.excess(over: state.configuration, at: MonotonicClock.now()) }) else {
            return true
        }
        state.close(for: violation(excess))
        return false
    }

    private func violation(_ excess: HostOutbox.Excess) -> ChannelViolation {
        switch excess {
        case .frames:
            .messageBudget(.unread, limit: UInt32(clamping: state.configuration.mostWaitingFrames))
        case .bytes:
            .messageBudget(.unreadBytes, limit: UInt32(clamping: state.configuration.mostWaitingBytes))
        case .time: .unread(seconds: MonotonicClock.nanoseconds(state.configuration.unreadLimit) / 1_000_000_000)
        }
    }

    /// A peer that only reads rings no bell, so somebody has to look. The pause doubles: a frame waits at most about
    /// twice as long as its extension has left it no room, and an extension that does not read wakes its host once a
    /// second at most. Whatever it sends makes its host look at once.
    private func lookAfter(_ outbox: inout HostOutbox, in pause: Duration) {
        let round = outbox.startRound(pause)
        outbox.keep(state.loop.schedule(after: pause) { [weak self] in self?.lookAfterOutbox(in: round) })
    }

    /// - Parameter round: the timer's; another one may have been set since it fired.
    private func lookAfterOutbox(in round: UInt64) {
        let left = outbox.withLock { $0.count }
        guard !flushOutbox(), isWithinOutbox() else { return }
        outbox.withLock { outbox in
            guard outbox.round == round, !outbox.isEmpty else { return }
            let hasMoved = outbox.count < left
            lookAfter(&outbox, in: hasMoved ? HostOutbox.shortestPause : min(outbox.pause * 2, HostOutbox.longestPause))
        }
    }
}
