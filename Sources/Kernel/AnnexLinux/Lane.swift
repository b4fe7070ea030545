internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// Runs jobs on its own thread, one after another. A job that blocks delays only its own lane, for example the lane of
/// one user.
///
/// Each job belongs to a row. The jobs of one row run in order, and the rows take turns. So the next job of a row waits
/// for one job of each other row at most, however many jobs these have.
///
/// The thread exists while there are jobs, and for a short time (`rest`) afterwards. If the next job arrives in this
/// time, the lane wakes the sleeping thread and need not create a new thread.
package final class Lane: Sendable {
    fileprivate struct Job: Sendable {
        let row: String
        let run: @Sendable () -> Void
    }

    fileprivate enum Worker: Equatable {
        case none
        case working
        /// The worker sleeps until this time. If there is no job then, it ends.
        case resting(until: UInt64)
    }

    fileprivate struct State {
        /// The jobs that have not begun.
        var jobs: [UInt64: Job] = [:]
        /// The jobs that are due, by rows.
        var rows: [String: ArraySlice<UInt64>] = [:]
        /// The rows with due jobs in the order of their turns, without the stuck rows.
        var turns: [String] = []
        /// The jobs that are not due yet.
        var later = TimerQueue()
        var last: UInt64 = 0
        var worker = Worker.none
        /// The number of the present worker. If a worker is overtaken, it finds another number here.
        var thread: UInt64 = 0
        /// The row and the beginning of the worker's job.
        var running: (row: String, since: UInt64)?
        /// The rows of jobs that were overtaken and still run.
        var stuck: Set<String> = []
        /// The rows whose last job took long, and until when this counts.
        var slow: [String: UInt64] = [:]
        /// The moments at which `overtake` will be called.
        var looks: Set<UInt64> = []
        /// Whether `resume` will be called, because no thread could be made.
        var isRetrying = false
    }

    private enum Step {
        case run(@Sendable () -> Void, row: String)
        case rest(until: UInt64)
    }

    /// What a worker has just done.
    private struct Done {
        let row: String
        let begun: UInt64

        func took(longerThan time: Duration) -> Bool {
            MonotonicClock.deadline(after: time, from: begun) < MonotonicClock.now()
        }
    }

    /// Starts a thread with a name and a body.
    package typealias Starting = @Sendable (String, @escaping @Sendable () -> Void) throws(SystemError) -> Void

    private let name: String
    private let nice: Int32
    private let rest: Duration
    private let patience: Duration?
    private let quick: Duration
    private let start: Starting
    private let state = Mutex(State())
    private let bed = Parker()
    /// The number that `annex_thread_current` gives to the worker's thread; 0 while there is none.
    private let threadMark = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - name: the name that debuggers and `top -H` show, at most 15 bytes.
    ///   - nice: the nice value of the thread; 0 for that of the program.
    ///   - rest: how long the thread waits for another job before it ends.
    ///   - patience: how long one job may keep other rows waiting. Then the lane makes another thread for the other
    ///     rows. The row of the job waits until the job has ended. So each row keeps at most one thread busy. If nil,
    ///     the other rows wait as long as the job takes.
    ///   - quick: if a job of a row takes longer, no other row waits for this row during a hundred times the patience. By
    ///     default, a tenth of the patience.
    ///   - start: how to make a thread; tests let it fail.
    package init(
        _ name: String, nice: Int32 = 0, rest: Duration = .milliseconds(250), patience: Duration? = nil,
        quick: Duration? = nil,
        start: @escaping Starting = { (name, body) throws(SystemError) in _ = try WorkerThread(name, body) }
    ) {
        self.name = name
        self.nice = nice
        self.rest = rest
        self.patience = patience
        self.quick = quick ?? (patience ?? .zero) / 10
        self.start = start
    }

    /// The number of jobs that have not begun.
    package var count: Int { state.withLock { $0.jobs.count } }

    /// Whether no job waits or runs.
    package var isIdle: Bool {
        state.withLock { $0.worker != .working && $0.jobs.isEmpty && $0.stuck.isEmpty }
    }

    /// Whether the caller runs on the lane's thread.
    package var isCurrent: Bool {
        // SYNC: only the thread itself can find its own mark here, and it stored that mark itself.
        threadMark.load(ordering: .relaxed) == annex_thread_current()
    }

    /// Adds a job. If no thread can be created, the job waits, and the lane tries again every 20 ms.
    package func run(in row: String = "", _ job: @escaping @Sendable () -> Void) {
        _ = state.withLock { $0.add(job, to: row, at: 0) }
        resume()
    }

    /// Adds a job that begins at a time of `MonotonicClock`, or as soon as possible after this time.
    /// - Returns: the number with which the caller can cancel the job.
    /// - Throws: if no thread can be created. The job is then not added.
    package func schedule(
        in row: String = "", at moment: UInt64 = 0, _ job: @escaping @Sendable () -> Void
    ) throws(SystemError) -> UInt64 {
        let (number, wake) = try state.withLock { (state) throws(SystemError) in
            try startWorker(&state)
            let number = state.add(job, to: row, at: moment)
            overtakeSlow(&state)
            return (number, state.wake(patience))
        }
        perform(wake)
        return number
    }

    /// Cancels a job. If the job has not begun when this method is called, it does not begin any more.
    package func cancel(_ number: UInt64) {
        let (job, wake) = state.withLock { state in
            let job = state.remove(number)
            // The thread need not sleep until the job would have been due.
            return (job, state.jobs.isEmpty ? state.wake(patience, isCancelled: true) : Wake())
        }
        perform(wake)
        // The job is released outside the lock, because the release of its last reference may run any code.
        withExtendedLifetime(job) {}
    }

    /// Creates a thread if jobs wait for one. If that fails, the lane tries again later.
    package func resume() {
        do throws(SystemError) {
            let wake = try state.withLock { (state) throws(SystemError) in
                if !state.jobs.isEmpty { try startWorker(&state) }
                overtakeSlow(&state)
                return state.wake(patience)
            }
            perform(wake)
        } catch {
            resumeLater()
        }
    }

    /// If there is no event loop either, the next added job tries again.
    private func resumeLater() {
        guard let loop = try? EventLoop.shared(), state.withLock({ $0.beginRetry() }) else { return }
        loop.schedule(after: .milliseconds(20)) { [self] in
            state.withLock { $0.isRetrying = false }
            resume()
        }
    }

    /// The thread is made under the lock. If making it fails, nothing has changed.
    private func startWorker(_ state: inout State) throws(SystemError) {
        guard state.worker == .none else { return }
        try replaceWorker(&state)
    }

    private func replaceWorker(_ state: inout State) throws(SystemError) {
        let thread = state.thread + 1
        try start(name) { [self] in work(thread) }
        state.thread = thread
        state.worker = .working
        state.running = nil
    }

    private func work(_ first: UInt64) {
        var thread = first
        // On Linux, 0 means the calling thread and not its process.
        if nice > 0 { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, nice) }
        var done: Done?
        while let step = next(&thread, after: done) {
            switch step {
            case .rest(let end):
                done = nil
                bed.park(until: end)
            case .run(let job, let row):
                done = Done(row: row, begun: MonotonicClock.now())
                job()
            }
        }
    }

    /// The next step of a worker. If another thread has overtaken this one, this one ends. But if the other thread has
    /// ended since, this one is the worker again. So the jobs that waited for it need no new thread.
    /// - Parameter thread: the number of the worker's thread.
    /// - Returns: nil if the worker must end.
    private func next(_ thread: inout UInt64, after done: Done?) -> Step? {
        let (step, wake) = state.withLock { state -> (Step?, Wake) in
            if let done, let patience {
                state.judge(done.row, isSlow: done.took(longerThan: quick), for: patience * 100)
            }
            if state.thread != thread {
                if let done { state.free(done.row) }
                guard state.worker == .none else { return (nil, state.wake(patience)) }
                state.thread += 1
                thread = state.thread
            }
            // SYNC: see `isCurrent`. The mark is stored under the lock, so that the marks of two workers have an order.
            threadMark.store(annex_thread_current(), ordering: .relaxed)
            let now = MonotonicClock.now()
            if let job = state.popNext(by: now) {
                state.worker = .working
                state.running = (job.row, now)
                overtakeSlow(&state)
                return (.run(job.run, row: job.row), Wake(timer: state.overtaking(patience)))
            }
            state.running = nil
            if let end = state.rest(at: now, for: rest) { return (.rest(until: end), Wake()) }
            threadMark.store(0, ordering: .relaxed)
            return (nil, Wake())
        }
        perform(wake)
        return step
    }
}

// MARK: - Rows

extension Lane {
    /// The program's lane for work that a disk, a daemon or a sandboxed program can make long: requests of portals,
    /// looks at directories with many files, the closing of a program's descriptors, and a host's questions to its
    /// broker. Each app group, directory and channel has a row, and each host has two. So a row delays others by the
    /// lane's patience at most, and keeps one thread busy at most.
    package static let slow = Lane("annex-slow", patience: .milliseconds(10))

    private static let made = Atomic<UInt64>(0)

    /// A row of a lane that no other code uses.
    package struct Row: Sendable {
        private let lane: Lane
        private let name: String

        package init(of lane: Lane) {
            self.lane = lane
            // SYNC: a counter that orders no other data.
            name = "row \(Lane.made.add(1, ordering: .relaxed).newValue)"
        }

        /// Adds a job, like the method of the lane.
        package func run(_ job: @escaping @Sendable () -> Void) { lane.run(in: name, job) }

        /// Adds a job that begins at a time, like the method of the lane.
        @discardableResult
        package func schedule(
            at moment: UInt64 = 0, _ job: @escaping @Sendable () -> Void
        ) throws(SystemError) -> UInt64 {
            try lane.schedule(in: name, at: moment, job)
        }

        /// Does a job that may block, and suspends the calling task until the job is done. If the task is cancelled, the
        /// job is done all the same.
        /// - Throws: if no thread can be created. The job is then not done.
        package nonisolated(nonsending) func value<Value: Sendable>(
            of job: @escaping @Sendable () -> Value
        ) async throws(SystemError) -> Value {
            // The lane releases the job before the task goes on. Otherwise the lane could hold the last reference to an
            // object that the task then releases.
            let waiting = Mutex<(@Sendable () -> Value)?>(job)
            let result: Result<Value, SystemError> = await withCheckedContinuation { task in
                do throws(SystemError) {
                    try schedule {
                        guard let value = waiting.withLock({ $0.take() })?() else { return }
                        task.resume(returning: .success(value))
                    }
                } catch {
                    task.resume(returning: .failure(error))
                }
            }
            return try result.get()
        }
    }
}

// MARK: - Overtaking

extension Lane {
    /// What a caller must do after a change of the state, outside its lock.
    fileprivate struct Wake {
        var isNeeded = false
        /// When to call `overtake`.
        var timer: UInt64?
    }

    private func perform(_ wake: Wake) {
        if wake.isNeeded { bed.unpark() }
        if let timer = wake.timer { overtake(at: timer) }
    }

    /// The program's event loop measures the time, because the lane's own thread may be stuck. If there is no event loop,
    /// the next added job tries again.
    private func overtake(at moment: UInt64) {
        guard let loop = try? EventLoop.shared() else { return state.withLock { _ = $0.looks.remove(moment) } }
        loop.schedule(at: moment) { [self] in look(moment) }
    }

    /// Makes another thread if the present job has kept other rows waiting for too long.
    private func look(_ moment: UInt64) {
        guard let patience else { return }
        let timer = state.withLock { state -> UInt64? in
            state.looks.remove(moment)
            let now = MonotonicClock.now()
            state.takeDue(by: now)
            guard let running = state.running, state.isWaiting(besides: running.row),
                MonotonicClock.deadline(after: patience, from: running.since) <= now
            else { return state.overtaking(patience) }
            if overtake(running.row, &state) { return nil }
            return state.plan(MonotonicClock.deadline(after: patience))
        }
        if let timer { overtake(at: timer) }
    }

    /// Makes another thread at once if the present job belongs to a slow row and other rows wait.
    private func overtakeSlow(_ state: inout State) {
        guard patience != nil, let running = state.running, state.isSlow(running.row),
            state.isWaiting(besides: running.row)
        else { return }
        // If no thread can be made, the patience decides.
        _ = overtake(running.row, &state)
    }

    /// - Returns: false if no thread can be made.
    private func overtake(_ row: String, _ state: inout State) -> Bool {
        do throws(SystemError) {
            try replaceWorker(&state)
            state.stuck.insert(row)
            state.turns.removeAll { $0 == row }
            return true
        } catch {
            return false
        }
    }
}

// MARK: - State

extension Lane.State {
    fileprivate mutating func add(_ job: @escaping @Sendable () -> Void, to row: String, at moment: UInt64) -> UInt64 {
        last += 1
        jobs[last] = Lane.Job(row: row, run: job)
        if moment == 0 { queue(last, in: row) } else { later.insert(last, deadline: moment) }
        return last
    }

    private mutating func queue(_ number: UInt64, in row: String) {
        if rows[row] == nil, !stuck.contains(row) { turns.append(row) }
        rows[row, default: []].append(number)
    }

    fileprivate mutating func remove(_ number: UInt64) -> Lane.Job? {
        guard let job = jobs.removeValue(forKey: number) else { return nil }
        guard !later.remove(number) else { return job }
        rows[job.row]?.removeAll { $0 == number }
        if rows[job.row]?.isEmpty == true {
            rows[job.row] = nil
            turns.removeAll { $0 == job.row }
        }
        return job
    }

    /// Lets a row have turns again, because its job that was overtaken has ended.
    fileprivate mutating func free(_ row: String) {
        stuck.remove(row)
        if rows[row] != nil { turns.append(row) }
    }

    fileprivate mutating func takeDue(by now: UInt64) {
        while let number = later.takeDue(by: now), let job = jobs[number] { queue(number, in: job.row) }
    }

    /// Removes the oldest due job of the row whose turn it is. The row's next turn comes after the turns of all other
    /// rows.
    fileprivate mutating func popNext(by now: UInt64) -> Lane.Job? {
        takeDue(by: now)
        guard !turns.isEmpty else { return nil }
        let row = turns.removeFirst()
        guard var waiting = rows.removeValue(forKey: row), let number = waiting.popFirst() else { return nil }
        if !waiting.isEmpty {
            rows[row] = waiting
            turns.append(row)
        }
        return jobs.removeValue(forKey: number)
    }

    /// Lets the worker rest, because no job is due.
    /// - Returns: the end of the rest; nil if the worker must end.
    fileprivate mutating func rest(at now: UInt64, for time: Duration) -> UInt64? {
        let hasNext = later.earliest != nil
        switch worker {
        // Woken without a cause.
        case .resting(let end) where now < end: return end
        case .resting where !hasNext:
            worker = .none
            return nil
        case .none, .working, .resting:
            let end = later.earliest ?? MonotonicClock.deadline(after: time, from: now)
            worker = .resting(until: end)
            return end
        }
    }

    /// Wakes a resting worker if a job is due before the end of its rest, and times a working one.
    fileprivate mutating func wake(_ patience: Duration?, isCancelled: Bool = false) -> Lane.Wake {
        switch worker {
        case .none: return Lane.Wake()
        case .working: return Lane.Wake(timer: overtaking(patience))
        case .resting(let end):
            guard isCancelled || !turns.isEmpty || later.earliest ?? .max < end else { return Lane.Wake() }
            worker = .working
            return Lane.Wake(isNeeded: true)
        }
    }

    /// When to look whether the worker's job keeps other rows waiting for too long; nil if there is no such row, or if
    /// the look is timed already.
    fileprivate mutating func overtaking(_ patience: Duration?) -> UInt64? {
        guard let patience, let running else { return nil }
        let end = MonotonicClock.deadline(after: patience, from: running.since)
        if isWaiting(besides: running.row) { return plan(end) }
        return later.earliest.flatMap { plan(max(end, $0)) }
    }

    /// Plans a look.
    /// - Returns: its moment; nil if an earlier look is planned, which plans the next one.
    fileprivate mutating func plan(_ moment: UInt64) -> UInt64? {
        guard looks.allSatisfy({ $0 > moment }) else { return nil }
        looks.insert(moment)
        return moment
    }

    /// Whether a row other than this one has due jobs.
    fileprivate func isWaiting(besides row: String) -> Bool { turns.contains { $0 != row } }

    /// - Returns: false if the next try to make a thread is planned already.
    fileprivate mutating func beginRetry() -> Bool {
        defer { isRetrying = true }
        return !isRetrying
    }
}

// MARK: - Slow rows

extension Lane.State {
    /// Notes for some time that the last job of a row took long.
    fileprivate mutating func judge(_ row: String, isSlow: Bool, for time: Duration) {
        slow[row] = isSlow ? MonotonicClock.deadline(after: time) : nil
        // Rows that may no longer exist are forgotten.
        if slow.count > 64 { slow = slow.filter { $0.value > MonotonicClock.now() } }
    }

    fileprivate func isSlow(_ row: String) -> Bool { slow[row].map { $0 > MonotonicClock.now() } ?? false }
}
