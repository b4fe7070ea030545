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
        // Behind what waits already: otherwise a finish could overtake its last message's credit.
        let mustWait = outbox.withLock { outbox in
            guard !outbox.isEmpty else { return false }
            outbox.append(copy)
            return true
        }
        if mustWait { return checkOutbox() }
        switch attempt(frame) {
        case .sent: return
        case .failed(let failure): return _ = report(failure)
        case .full: break
        }
        outbox.withLock { $0.append(copy) }
        checkOutbox()
    }

    /// A peer that asks and asks and reads nothing has had its budget.
    private func checkOutbox() {
        let limit = configuration.mostWaitingFrames
        let (isFull, mustLookAfter) = outbox.withLock { outbox in
            defer { outbox.isLookedAfter = true }
            return (outbox.count > limit, !outbox.isLookedAfter)
        }
        if isFull { return close(for: .messageBudget(.unread, limit: UInt32(clamping: limit))) }
        if mustLookAfter { lookAfterOutbox(.microseconds(200)) }
    }

    /// A peer that only reads rings no bell, so somebody has to look: ever more rarely, and only while frames wait.
    private func lookAfterOutbox(_ pause: Duration) {
        loop.schedule(after: pause) { [weak self] in
            guard let self, !flushOutbox() else { return }
            lookAfterOutbox(min(pause * 2, .milliseconds(10)))
        }
    }

    /// - Returns: whether nothing waits any more.
    private func flushOutbox() -> Bool {
        while let next = outbox.withLock({ $0.next }) {
            switch attempt(next.frame) {
            case .sent: outbox.withLock { $0.removeNext() }
            case .full: return false
            case .failed(let failure):
                outbox.withLock { $0.removeAll() }
                _ = report(failure)
            }
        }
        return outbox.withLock { outbox in
            guard outbox.isEmpty else { return false }
            outbox.isLookedAfter = false
            return true
        }
    }
}
