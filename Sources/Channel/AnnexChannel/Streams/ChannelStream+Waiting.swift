internal import AnnexLinux
internal import Synchronization

extension ChannelStream {
    /// Looks until there is something, and sleeps between the looks.
    func wait<Value: Sendable>(
        _ timeout: Duration?, _ look: (inout Inner) -> Look<Value>
    ) throws(StreamFailure) -> Value {
        var wait = StreamWait(timeout, endpoint)
        defer { wait.end() }
        let parker = Parker()
        while true {
            let result = inner.withLock { inner in
                let result = look(&inner)
                if case .mustWait = result { inner.waiting.append(.thread(parker)) }
                return result
            }
            switch result {
            case .done(let value): return value
            case .failed(let failure): throw failure
            case .mustWait: break
            }
            defer { withdraw(parker) }
            // That thread reads what this one would wait for.
            guard !endpoint.loop.isCurrent else { throw .channel(.onEventLoop) }
            parker.park(until: try wait.goOn())
        }
    }

    /// The same for a task.
    nonisolated(nonsending) func wait<Value: Sendable>(
        _ timeout: Duration?, asTask look: (inout Inner) -> Look<Value>
    ) async throws(StreamFailure) -> Value {
        var wait = StreamWait(timeout, endpoint)
        defer { wait.end() }
        while true {
            let (result, changes) = inner.withLock { (look(&$0), $0.changes) }
            switch result {
            case .done(let value): return value
            case .failed(let failure): throw failure
            case .mustWait: break
            }
            guard !Task.isCancelled else { throw .cancelled }
            await suspendUntilChange(from: changes, until: try wait.goOn())
        }
    }

    private nonisolated(nonsending) func suspendUntilChange(from changes: UInt64, until moment: UInt64?) async {
        let timer = moment.map { moment in
            endpoint.loop.schedule(at: moment) { [weak self] in self?.change { _ in } }
        }
        defer { timer?.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isLate = inner.withLock { inner in
                    if inner.changes != changes || Task.isCancelled { return true }
                    inner.waiting.append(.task(continuation))
                    return false
                }
                if isLate { continuation.resume() }
            }
        } onCancel: {
            change { _ in }
        }
    }

    private func withdraw(_ parker: Parker) {
        inner.withLock { inner in
            inner.waiting.removeAll { waiter in
                if case .thread(let other) = waiter { other === parker } else { false }
            }
        }
    }

    /// Changes what the stream is, and lets everybody who waits look again.
    func change<Result: Sendable>(
        _ body: (inout Inner) throws(ChannelViolation) -> Result
    ) throws(ChannelViolation) -> Result {
        let (result, waiting) = try inner.withLock { (inner) throws(ChannelViolation) in
            let result = try body(&inner)
            inner.changes &+= 1
            defer { inner.waiting = [] }
            return (result, inner.waiting)
        }
        for waiter in waiting { waiter.wake(on: endpoint.loop) }
        return result
    }

    func change(_ body: (inout Inner) -> Void) {
        let waiting = inner.withLock { inner in
            body(&inner)
            inner.changes &+= 1
            defer { inner.waiting = [] }
            return inner.waiting
        }
        for waiter in waiting { waiter.wake(on: endpoint.loop) }
    }

    /// Ends it before its time.
    /// - Returns: whether it had not ended before.
    func fail(with failure: StreamFailure) -> Bool {
        var isFirst = false
        change { inner in
            isFirst = inner.failure == nil
            inner.failure = inner.failure ?? failure
            if failure == .cancelled { inner.queue.removeAll() }
        }
        return isFirst
    }

    func retireIfOver() {
        if inner.withLock({ $0.state.isOver }) { endpoint.forget(id, isForgone: 0) }
    }
}
