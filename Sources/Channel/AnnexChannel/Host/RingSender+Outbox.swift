internal import AnnexLinux
internal import Synchronization

// Frames that are sent without a waiting caller.
extension RingSender {
    /// Sends the answer to a call that the extension made. Sends nothing if the call was answered already, or if the
    /// extension has given the call up.
    func answerHosted(_ call: UInt64, header: FrameHeader, payload: [UInt8]) {
        guard state.hosted.withLock({ $0.remove(call) }) else { return }
        sendSoon(OutgoingFrame(header: header, payload: payload))
    }

    /// Sends the answer to a call that the extension made, with descriptors. The descriptors are sent at once, even if
    /// the frame has to wait for room. The extension finds the descriptors by their tag (`DescriptorTag`).
    func answerHosted(
        _ call: UInt64, header: FrameHeader, payload: [UInt8], descriptors: consuming DescriptorList
    ) throws(CallFailure) {
        guard state.hosted.withLock({ $0.remove(call) }) else { return }
        if let failure = control.handOver(descriptors, for: DescriptorTag.call(call, isHosted: true)) {
            let cause = StreamFrame.reset(code: HandlerFailure.busyCode, "the host cannot hand over a file: \(failure)")
            sendSoon(
                OutgoingFrame(
                    header: FrameHeader(kind: .failure, method: header.method, call: call), payload: cause))
            throw failure
        }
        sendSoon(OutgoingFrame(header: header, payload: payload))
    }

    func failHosted(_ call: UInt64, method: UInt16, code: UInt32, text: String) {
        answerHosted(
            call, header: FrameHeader(kind: .failure, method: method, call: call),
            payload: StreamFrame.reset(code: code, text))
    }

    /// Sends a frame now or, if there is no room, as soon as there is room. The caller does not wait. The frame must
    /// have no `RequestTerms`, and its descriptors must have been sent before.
    func sendSoon(_ frame: consuming OutgoingFrame) {
        let copy = OutgoingFrame.Copy(header: frame.header, payload: frame.payload)
        // The lock is held from the check for earlier frames until this frame is sent or stored. Otherwise a stream's
        // finish frame could overtake the credit frame for the last message.
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
            // A timer that was set for earlier frames may fire much later, so a new timer is set.
            if isFirst { scheduleFlush(of: &outbox, after: HostOutbox.shortestPause) }
            return (nil, true)
        }
        if let failure { _ = state.report(failure) }
        if mustWait { checkOutbox() }
    }

    /// Sends as many of the waiting frames as there is room for.
    /// - Returns: whether no frame waits any more.
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

    /// Closes the channel if the waiting frames exceed a limit. An extension exceeds a limit if it keeps sending
    /// requests without reading the answers. This method flushes first, because the extension may have made room while
    /// its host was suspended.
    private func checkOutbox() {
        if !flushOutbox() { _ = isWithinOutbox() }
    }

    /// - Returns: false if too many frames or bytes wait, or if they wait for too long. The channel is then closed.
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

    /// Sets a timer to flush again, because an extension that only reads rings no doorbell. While no frame is sent, the
    /// pause doubles each time. So a frame waits at most about twice as long as the ring was full. For an extension
    /// that does not read, the timer finally wakes the host only once a second. Any frame from the extension makes the
    /// host flush at once.
    private func scheduleFlush(of outbox: inout HostOutbox, after pause: Duration) {
        let round = outbox.startRound(pause)
        outbox.keep(state.loop.schedule(after: pause) { [weak self] in self?.flushOutboxAgain(in: round) })
    }

    /// - Parameter round: the timer's number. A newer timer may have been set since this timer fired.
    private func flushOutboxAgain(in round: UInt64) {
        let left = outbox.withLock { $0.count }
        guard !flushOutbox(), isWithinOutbox() else { return }
        outbox.withLock { outbox in
            guard outbox.round == round, !outbox.isEmpty else { return }
            let hasMoved = outbox.count < left
            scheduleFlush(
                of: &outbox, after: hasMoved ? HostOutbox.shortestPause : min(outbox.pause * 2, HostOutbox.longestPause)
            )
        }
    }
}
