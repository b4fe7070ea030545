internal import CAnnexLinux
internal import Glibc
internal import Synchronization

extension EventLoop {
    /// Runs `handler` on the loop's thread whenever the descriptor is readable or hung up. The handler runs again
    /// for as long as the descriptor stays in this state, so it must read the data or cancel the watch.
    /// - Parameter number: a descriptor that epoll can watch. The descriptor must stay open until the watch is
    ///   cancelled.
    package func watch(
        _ number: Int32, handler: @escaping @Sendable (Readiness) -> Void
    ) throws(SystemError) -> Watch {
        try watch(number, adding: annex_event_add, handler)
    }

    /// Watches a descriptor that raises alarms (`EPOLLPRI`) instead of delivering bytes. The handler runs once for each
    /// alarm.
    package func watchAlarm(
        _ number: Int32, handler: @escaping @Sendable () -> Void
    ) throws(SystemError) -> Watch {
        try watch(number, adding: annex_event_add_alarm) { _ in handler() }
    }

    /// Watches a stream in both directions. The handler runs once at the beginning, and once each time when the stream
    /// becomes readable, becomes writable, or ends. So the handler must read and write until the stream would block.
    package func watchStream(
        _ number: Int32, handler: @escaping @Sendable () -> Void
    ) throws(SystemError) -> Watch {
        try watch(number, adding: annex_event_add_stream) { _ in handler() }
    }

    private func watch(
        _ number: Int32, adding add: (Int32, Int32, UInt64) -> Int32,
        _ handler: @escaping @Sendable (Readiness) -> Void
    ) throws(SystemError) -> Watch {
        try state.withLock { (state) throws(SystemError) in
            guard state.phase == .running else { throw SystemError("epoll_ctl", errno: ESHUTDOWN) }
            state.lastToken += 1
            let token = state.lastToken
            _ = try SystemError.check("epoll_ctl", add(queue.number, number, token))
            state.watches[token] = Registration(number: number, handler: handler)
            return Watch(loop: self, token: token)
        }
    }

    /// Runs `handler` once on the loop's thread, when `duration` has passed on the monotonic clock. That clock stops
    /// while the machine is suspended. Time limits therefore do not expire because a laptop was suspended.
    @discardableResult
    package func schedule(after duration: Duration, _ handler: @escaping @Sendable () -> Void) -> Timer {
        schedule(at: MonotonicClock.deadline(after: duration), handler)
    }

    /// Runs `handler` once at a time of `MonotonicClock`.
    @discardableResult
    package func schedule(at deadline: UInt64, _ handler: @escaping @Sendable () -> Void) -> Timer {
        let token = state.withLock { state in
            state.lastToken += 1
            let token = state.lastToken
            guard state.phase == .running else { return token }
            state.timers[token] = handler
            state.timerQueue.insert(token, deadline: deadline)
            endSleep(&state, at: deadline)
            return token
        }
        return Timer(loop: self, token: token)
    }

    /// Runs `job` on the loop's thread, after the jobs that were added before it. An accepted job runs even if the loop
    /// is shut down before the job starts.
    /// - Returns: false if the loop has been shut down. In that case the job does not run.
    @discardableResult
    package func execute(_ job: @escaping @Sendable () -> Void) -> Bool {
        let (isTaken, mustWake) = state.withLock { state in
            guard state.phase == .running else { return (false, false) }
            state.jobs.append(job)
            guard !state.wakeIsPending, state.sleepsUntil != 0 else { return (true, false) }
            state.wakeIsPending = true
            return (true, true)
        }
        if mustWake { wake() }
        return isTaken
    }

    /// Runs `job` in any case: on the loop's thread, or on the caller's thread if the loop has been shut down.
    package func perform(_ job: @escaping @Sendable () -> Void) {
        if !execute(job) { job() }
    }

    /// Blocks until every job that was added before has run, or until `deadline` of `MonotonicClock`. On the loop's own
    /// thread, the call returns at once, because the thread cannot wait for itself.
    package func settle(until deadline: UInt64?) {
        guard !isCurrent else { return }
        let mark = LoopMark()
        guard execute({ mark.reach() }) else { return }
        mark.wait(until: deadline)
    }

    /// Limits the thread's current sleep to `deadline`, without waking the thread. The caller usually sends a request
    /// next. A loop thread that woke now would have nothing to do, but would compete with the caller for the
    /// processors.
    private func endSleep(_ state: inout State, at deadline: UInt64) {
        guard !state.wakeIsPending, deadline < state.sleepsUntil ?? .max else { return }
        // A deadline of 0 would switch the alarm off. With a deadline in the past, the alarm fires at once.
        if annex_event_timer_set(alarm.number, max(deadline, 1)) < 0 {
            state.wakeIsPending = true
            return wake()
        }
        state.alarmIsSet = true
        state.sleepsUntil = deadline
    }

    func cancelWatch(_ token: UInt64) {
        // The handler is released outside the lock, because the release of its last reference may run any code.
        let removed = state.withLock { state in
            let removed = state.watches.removeValue(forKey: token)
            // The descriptor is removed under the lock, so that its number cannot be closed and given to another watch
            // meanwhile.
            if let removed { _ = annex_event_remove(queue.number, removed.number) }
            return removed
        }
        withExtendedLifetime(removed) {}
    }

    func cancelTimer(_ token: UInt64) -> Bool {
        let removed = state.withLock { state in
            _ = state.timerQueue.remove(token)
            return state.timers.removeValue(forKey: token)
        }
        return withExtendedLifetime(removed) { removed != nil }
    }

    func waitForHandler(_ token: UInt64) {
        if isCurrent { return }
        while state.withLock({ $0.running == token }) { Processor.yield() }
    }
}

/// A point among a loop's jobs. A thread waits until the loop has reached it.
final class LoopMark: Sendable {
    private let isReached = Atomic<Bool>(false)
    private let parker = Parker()

    /// The loop calls this method when it reaches the point.
    func reach() {
        // SYNC: the store releases the effects of the jobs before the point. The thread that waits acquires these
        // effects.
        isReached.store(true, ordering: .releasing)
        parker.unpark()
    }

    /// Sleeps until the loop has reached the point, at most until `deadline` of `MonotonicClock`.
    func wait(until deadline: UInt64?) {
        while !isReached.load(ordering: .acquiring), deadline.map({ MonotonicClock.now() < $0 }) ?? true {
            parker.park(until: deadline)
        }
    }
}
