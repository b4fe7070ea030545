internal import CAnnexLinux
internal import Glibc
internal import Synchronization

extension EventLoop {
    /// Runs `handler` on the loop's thread whenever the descriptor is readable or hung up, and again for as long as it
    /// stays so: a handler reads what is there or cancels the watch.
    /// - Parameter number: an open descriptor that epoll can watch, and that stays open until the watch is cancelled.
    package func watch(
        _ number: Int32, handler: @escaping @Sendable (Readiness) -> Void
    ) throws(SystemError) -> Watch {
        try watch(number, adding: annex_event_add, handler)
    }

    /// The same for a descriptor that has no bytes but alarms, each of which is told once.
    package func watchAlarm(
        _ number: Int32, handler: @escaping @Sendable () -> Void
    ) throws(SystemError) -> Watch {
        try watch(number, adding: annex_event_add_alarm) { _ in handler() }
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

    /// Runs `handler` once on the loop's thread when `duration` has passed on the monotonic clock, which stands still
    /// while the machine is suspended: waking a laptop makes no limit pass.
    @discardableResult
    package func schedule(after duration: Duration, _ handler: @escaping @Sendable () -> Void) -> Timer {
        schedule(at: MonotonicClock.deadline(after: duration), handler)
    }

    /// The same for a moment of `MonotonicClock`.
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

    /// Runs `job` on the loop's thread, after what was handed in before it. A job that was taken runs even if the loop
    /// is shut down meanwhile.
    /// - Returns: false if the loop has been shut down: the job does not run.
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

    /// The same for what must run in any case: a loop that has been shut down leaves it to the caller's thread.
    package func perform(_ job: @escaping @Sendable () -> Void) {
        if !execute(job) { job() }
    }

    /// Blocks until every job that was handed in before has run, or until `deadline` of `MonotonicClock`. Returns at
    /// once on the loop's own thread, which cannot wait for itself.
    package func settle(until deadline: UInt64?) {
        guard !isCurrent else { return }
        let mark = LoopMark()
        guard execute({ mark.reach() }) else { return }
        mark.wait(until: deadline)
    }

    /// The thread sleeps no longer than to `deadline`. It is not woken for that: whoever sets a timer is about to ask
    /// somebody for something, and shall not share the processors with a thread that has nothing to do yet.
    private func endSleep(_ state: inout State, at deadline: UInt64) {
        guard !state.wakeIsPending, deadline < state.sleepsUntil ?? .max else { return }
        // Zero would be no alarm; the past is one at once.
        if annex_event_timer_set(alarm.number, max(deadline, 1)) < 0 {
            state.wakeIsPending = true
            return wake()
        }
        state.alarmIsSet = true
        state.sleepsUntil = deadline
    }

    func cancelWatch(_ token: UInt64) {
        // The handler is released outside the lock: its last reference may run anything.
        let removed = state.withLock { state in
            let removed = state.watches.removeValue(forKey: token)
            // Under the lock, so that the number cannot have been closed and given to another watch meanwhile.
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
