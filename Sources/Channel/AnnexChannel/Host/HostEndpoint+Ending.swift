internal import AnnexLinux
internal import Synchronization

typealias HelloWaiter = CheckedContinuation<Result<Hello, CallFailure>, Never>

extension HostEndpoint {
    /// Ends the channel: reads what the extension still published, then resolves every open call with
    /// `.ended(reason:)`. Once is enough, twice is harmless.
    /// - Parameter reason: for people; shown with each call that ends this way.
    public func end(with reason: String) {
        calls.withLock { $0.willEnd(reason) }
        isEnding.store(true, ordering: .sequentiallyConsistent)
        interruptLeader()
        // The leader has let go or is about to. An answer that was given before the end still counts.
        receiving.withLock { _ = pump(&$0) }
        resumeAnswered()
        close(.ended(reason: reason))
    }

    /// Waits for the extension's hello, which the launch limit of whoever started it bounds.
    public nonisolated(nonsending) func untilHello() async throws(CallFailure) -> Hello {
        try await withCheckedContinuation { continuation in
            let known: Result<Hello, CallFailure>? = hello.withLock { state in
                switch state {
                case .awaited(let waiting):
                    state = .awaited(waiting + [continuation])
                    return nil
                case .said(let said): return .success(said)
                case .failed(let failure): return .failure(failure)
                }
            }
            if let known { continuation.resume(returning: known) }
        }.get()
    }

    /// The peer broke a rule: nothing more of it is read, and its owner hears of it once.
    func close(for violation: ChannelViolation) {
        guard close(.violated(violation)) else { return }
        loop.execute { [weak self, handlers] in
            self?.isCondemned.store(true, ordering: .relaxed)
            handlers.onViolation(violation)
        }
    }

    /// Why the channel is closed.
    var closedReason: CallFailure {
        calls.withLock { $0.closed ?? .ended(reason: $0.ending ?? "closed") }
    }

    /// - Returns: whether this call closed it.
    @discardableResult
    private func close(_ failure: CallFailure) -> Bool {
        let open: [ChannelCall]? = calls.withLock { table in
            guard table.closed == nil else { return nil }
            return table.close(failure)
        }
        guard let open else { return false }
        tap?.end("\(failure)")
        runOnClose()
        isClosed.store(true, ordering: .sequentiallyConsistent)
        watch.withLock { $0.take() }?.cancel()
        dropHandOvers()
        for call in open { call.resolve(.failure(failure)) }
        hosted.withLock { $0.close() }
        closeStreams(failure)
        failHello(failure)
        interruptLeader()
        for _ in 0..<SleepGate.mostWakeUps where roomSleepers.load(ordering: .sequentiallyConsistent) > 0 {
            peer.consumed.wakeSleepers()
            Processor.yield()
        }
        return true
    }

    private func failHello(_ failure: CallFailure) {
        let waiting = hello.withLock { state in
            guard case .awaited(let waiting) = state else { return [] as [HelloWaiter] }
            state = .failed(failure)
            return waiting
        }
        loop.perform {
            for continuation in waiting { continuation.resume(returning: .failure(failure)) }
        }
    }
}

/// Whether the extension has said hello yet, and who waits for it.
enum HelloState: Sendable {
    case awaited([HelloWaiter])
    case said(Hello)
    case failed(CallFailure)
}
