internal import AnnexLinux
internal import Synchronization

extension OutgoingFrame {
    /// A frame without descriptors, which can be kept.
    struct Copy: Sendable {
        let header: FrameHeader
        let payload: [UInt8]

        var frame: OutgoingFrame { OutgoingFrame(header: header, payload: payload) }
    }
}

extension HostEndpoint {
    /// Sends a frame now or as soon as there is room, without waiting. The frame has no descriptors and no terms.
    func sendSoon(_ frame: consuming OutgoingFrame) {
        let copy = OutgoingFrame.Copy(header: frame.header, payload: frame.payload)
        // Under the lock from the look to the sending: otherwise a finish could overtake its last message's credit.
        let (failure, mustWait) = outbox.withLock { outbox in
            if outbox.isEmpty {
                switch attempt(copy.frame) {
                case .sent: return (nil as CallFailure?, false)
                case .failed(let failure): return (failure, false)
                case .full: break
                }
            }
            outbox.append(copy, at: MonotonicClock.now())
            return (nil, true)
        }
        if let failure { _ = report(failure) }
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
        if let failure { _ = report(failure) }
        return isEmpty
    }

    /// A peer that asks and asks and reads nothing has had its budget.
    private func checkOutbox() {
        let mustLookAfter = outbox.withLock { outbox in
            defer { outbox.isLookedAfter = true }
            return !outbox.isLookedAfter
        }
        if isWithinOutbox(), mustLookAfter { lookAfterOutbox(.microseconds(200)) }
    }

    /// - Returns: false if too much waits, or for too long: the channel is closed then.
    private func isWithinOutbox() -> Bool {
        guard let excess = outbox.withLock({ $0.excess(over: configuration, at: MonotonicClock.now()) }) else {
            return true
        }
        close(for: violation(excess))
        return false
    }

    private func violation(_ excess: HostOutbox.Excess) -> ChannelViolation {
        switch excess {
        case .frames:
            .messageBudget(.unread, limit: UInt32(clamping: configuration.mostWaitingFrames))
        case .bytes:
            .messageBudget(.unreadBytes, limit: UInt32(clamping: configuration.mostWaitingBytes))
        case .time: .unread(seconds: MonotonicClock.nanoseconds(configuration.unreadLimit) / 1_000_000_000)
        }
    }

    /// A peer that only reads rings no bell, so somebody has to look. The pause doubles: a frame waits at most about
    /// twice as long as its extension has left it no room, and an extension that does not read wakes its host once a
    /// second at most. Whatever it sends makes its host look at once.
    private func lookAfterOutbox(_ pause: Duration) {
        loop.schedule(after: pause) { [weak self] in
            guard let self else { return }
            let left = outbox.withLock { $0.count }
            if flushOutbox(), outbox.withLock({ $0.rests() }) { return }
            let hasMoved = outbox.withLock { $0.count } < left
            guard isWithinOutbox() else { return }
            lookAfterOutbox(hasMoved ? .microseconds(200) : min(pause * 2, .seconds(1)))
        }
    }
}
