internal import CAnnexLinux
internal import Synchronization

extension EventLoop {
    /// The thread's body.
    func run() {
        threadMark.store(annex_thread_current(), ordering: .relaxed)
        var events = [annex_event](repeating: annex_event(), count: 64)
        while let limit = prepareSleep() {
            let count = unsafe events.withUnsafeMutableBufferPointer { room in
                // SAFETY: the call writes at most `room.count` events.
                unsafe annex_event_wait(queue.number, room.baseAddress, Int32(room.count), limit)
            }
            let awake = noteAwake()
            for index in 0..<max(Int(count), 0) { dispatch(events[index]) }
            runTimers(dueBy: awake)
            runJobs()
        }
        dropEverything()
    }

    /// The maximum time to sleep in nanoseconds (negative: without limit). Nil if the loop must end.
    private func prepareSleep() -> Int64? {
        state.withLock { state in
            guard state.phase == .running else { return nil }
            guard state.jobs.isEmpty else { return 0 }
            // The limit of this sleep already includes every timer that is set. An alarm for a cancelled timer must not
            // end this sleep.
            if state.alarmIsSet { _ = annex_event_timer_set(alarm.number, 0) }
            state.alarmIsSet = false
            // From here on, a call that sets an earlier timer must shorten this sleep.
            state.sleepsUntil = state.timerQueue.earliest
            guard let earliest = state.sleepsUntil else { return -1 }
            return Int64(clamping: MonotonicClock.remaining(until: earliest))
        }
    }

    /// - Returns: the current time. All events that are dispatched now came before this time.
    private func noteAwake() -> UInt64 {
        state.withLock { state in
            state.sleepsUntil = 0
            state.wakeIsPending = false
        }
        return MonotonicClock.now()
    }

    private func dispatch(_ event: annex_event) {
        switch event.token {
        case Self.counterToken: _ = annex_event_counter_clear(counter.number)
        // The loop runs due timers after each sleep in any case.
        case Self.alarmToken: break
        default: handle(event)
        }
    }

    private func handle(_ event: annex_event) {
        let handler = state.withLock { state in
            guard state.phase == .running, let watch = state.watches[event.token] else {
                return nil as (@Sendable (Readiness) -> Void)?
            }
            state.running = event.token
            return watch.handler
        }
        guard let handler else { return }
        handler(Readiness(rawValue: event.ready))
        state.withLock { $0.running = 0 }
    }

    /// Runs the timers that were due at `moment`. If a timer becomes due while handlers run, its handler waits until
    /// the descriptors have been checked again. Otherwise a time limit could end a wait whose message had arrived in
    /// time but was not read yet.
    private func runTimers(dueBy moment: UInt64) {
        while let handler = takeDueTimer(by: moment) { handler() }
    }

    private func takeDueTimer(by now: UInt64) -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.phase == .running, let token = state.timerQueue.takeDue(by: now) else { return nil }
            return state.timers.removeValue(forKey: token)
        }
    }

    /// Runs the waiting jobs, and then the jobs that these jobs added. If a job resumes a task, the task therefore runs
    /// before the descriptors are checked again. Jobs that the second round adds wait until after that check, so that
    /// jobs cannot keep the loop from its descriptors.
    private func runJobs() {
        if runWaitingJobs() { _ = runWaitingJobs() }
    }

    /// - Returns: whether there were any jobs.
    private func runWaitingJobs() -> Bool {
        let jobs = state.withLock { state in
            guard state.phase == .running else { return [] as [@Sendable () -> Void] }
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in jobs { job() }
        return !jobs.isEmpty
    }

    /// Releases all handlers outside the lock, because the handlers may hold objects that hold this loop. Accepted jobs
    /// still run, because other threads may wait for the effects of these jobs.
    private func dropEverything() {
        let (held, jobs) = state.withLock { state in
            defer {
                state.watches = [:]
                state.timers = [:]
                state.timerQueue = TimerQueue()
                state.jobs = []
                state.phase = .stopped
            }
            return ((state.watches, state.timers), state.jobs)
        }
        withExtendedLifetime(held) {}
        for job in jobs { job() }
    }
}
