internal import AnnexLinux
internal import Glibc
internal import Synchronization
// The two interfaces through which a program can replace the executors of the Swift runtime.
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) internal import _Concurrency

/// Runs the tasks of an extension on the thread that reads its channel. An extension must not start threads. So its
/// process uses this executor for everything: tasks, detached tasks, actors, the main actor, and tasks that sleep.
///
/// The thread that serves the channel calls `runReady` between two waits. Only that thread may resume a task. A job
/// that another thread adds runs after the next message of the host. If there is a closure `wake`, it makes the host
/// send a message.
final class FirstThread: TaskExecutor, MainExecutor, SchedulingExecutor {
    private enum Job: Sendable {
        case task(UnownedJob)
        case body(@Sendable () -> Void)
    }

    /// The sort key of a timer: its moment on `MonotonicClock`, and its number among all timers.
    struct TimerKey: Comparable, Sendable {
        let moment: UInt64
        let number: UInt64

        static func < (one: TimerKey, other: TimerKey) -> Bool {
            (one.moment, one.number) < (other.moment, other.number)
        }
    }

    private struct Timer {
        let key: TimerKey
        let job: Job
    }

    private struct Queue {
        var ready: [Job] = []
        /// The earliest timer is last, so that its removal does not move the other timers.
        var timers: [Timer] = []
        var lastTimer: UInt64 = 0

        /// The index of the first timer that is not later than this key.
        func place(of key: TimerKey) -> Int {
            var (low, high) = (0, timers.count)
            while low < high {
                let middle = (low + high) / 2
                if timers[middle].key > key { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    /// The thread that created this object and serves the channel.
    private let thread = pthread_self()
    /// Called after another thread has added a job; nil if there is no other thread.
    private let wake: (@Sendable () -> Void)?
    private let queue = Mutex(Queue())
    /// SYNC: relaxed, because this count is only a hint for the thread that fills and empties the queue. The jobs
    /// themselves are behind the lock.
    private let readyCount = Atomic<Int>(0)
    /// The moment of the first timer; `.max` if there is none.
    /// SYNC: relaxed, as above.
    private let firstTimer = Atomic<UInt64>(.max)

    /// - Parameter wake: makes the thread that serves the channel read the channel. Without `wake`, a job that another
    ///   thread adds runs after the next message. An extension in a sandbox has no other thread.
    init(wake: (@Sendable () -> Void)? = nil) {
        self.wake = wake
    }

    /// Whether no job is ready to run. A timer may still be pending.
    @inline(__always) var isIdle: Bool { readyCount.load(ordering: .relaxed) == 0 }

    /// The moment by which `runReady` must be called again; nil if no timer is pending.
    @inline(__always) var deadline: UInt64? {
        let moment = firstTimer.load(ordering: .relaxed)
        return moment == .max ? nil : moment
    }

    /// Runs the jobs that are ready now. Jobs that these jobs add wait for the next call, so that the channel is read
    /// in between.
    func runReady() {
        if let deadline, MonotonicClock.remaining(until: deadline) == 0 { startTimers() }
        guard !isIdle else { return }
        let jobs = queue.withLock { queue in
            defer { queue.ready = [] }
            return queue.ready
        }
        readyCount.subtract(jobs.count, ordering: .relaxed)
        for job in jobs { run(job) }
    }

    /// Whether a timer is due. The clock is read only if there is a timer.
    var hasDueTimer: Bool { deadline.map { MonotonicClock.remaining(until: $0) == 0 } ?? false }

    /// Runs a body in one of the next calls of `runReady`.
    func perform(_ body: @escaping @Sendable () -> Void) { add(.body(body)) }

    /// Runs a body at a moment of `MonotonicClock`, unless the timer is cancelled before that moment.
    @discardableResult
    func perform(at moment: UInt64, _ body: @escaping @Sendable () -> Void) -> TimerKey {
        add(.body(body), at: moment)
    }

    /// Forgets a timer, and releases its body. A timer that has run is forgotten already.
    func cancel(_ key: TimerKey) {
        queue.withLock { queue in
            let place = queue.place(of: key)
            guard queue.timers.indices.contains(place), queue.timers[place].key == key else { return }
            queue.timers.remove(at: place)
            noteFirstTimer(of: queue)
        }
    }

    private func run(_ job: Job) {
        switch job {
        case .body(let body): body()
        case .task(let job):
            // SAFETY: the queue runs each job exactly once, and this object outlives the run.
            unsafe job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
    }

    private func add(_ job: Job) {
        queue.withLock { $0.ready.append(job) }
        readyCount.add(1, ordering: .relaxed)
        if let wake, pthread_equal(thread, pthread_self()) == 0 { wake() }
    }

    @discardableResult
    private func add(_ job: Job, at moment: UInt64) -> TimerKey {
        queue.withLock { queue in
            queue.lastTimer &+= 1
            let key = TimerKey(moment: moment, number: queue.lastTimer)
            queue.timers.insert(Timer(key: key, job: job), at: queue.place(of: key))
            noteFirstTimer(of: queue)
            return key
        }
    }

    private func startTimers() {
        let now = MonotonicClock.now()
        let due = queue.withLock { queue in
            var due = 0
            while let first = queue.timers.last, first.key.moment <= now {
                queue.ready.append(first.job)
                queue.timers.removeLast()
                due += 1
            }
            noteFirstTimer(of: queue)
            return due
        }
        readyCount.add(due, ordering: .relaxed)
    }

    private func noteFirstTimer(of queue: Queue) {
        firstTimer.store(queue.timers.last?.key.moment ?? .max, ordering: .relaxed)
    }
}

// The functions that the Swift runtime calls.
extension FirstThread {
    func enqueue(_ job: consuming ExecutorJob) { add(.task(UnownedJob(job))) }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
        add(.task(UnownedJob(job)), at: Self.moment(after: delay, on: C.self))
    }

    func enqueue<C: Clock>(_ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C) {
        add(.task(UnownedJob(job)), at: Self.moment(after: clock.now.duration(to: instant), on: C.self))
    }

    private static func moment<C: Clock>(after delay: C.Duration, on _: C.Type) -> UInt64 {
        guard let delay = delay as? Duration else {
            fatalError("a task cannot sleep on \(C.self): an extension's tasks sleep on clocks that count in Duration")
        }
        return MonotonicClock.deadline(after: delay)
    }

    /// The runtime calls this for an asynchronous `main`, which would take the thread away from the channel.
    func run() throws {
        fatalError("an extension has no asynchronous main function: its first thread serves the channel")
    }

    func stop() {}

    /// Whether the current code runs on the thread where this executor runs all its jobs.
    func isIsolatingCurrentContext() -> Bool? { pthread_equal(thread, pthread_self()) != 0 }
}

extension FirstThread {
    /// The executor of an extension's process.
    static let ofProcess = FirstThread()

    private enum Factory: ExecutorFactory {
        static var mainExecutor: any MainExecutor { ofProcess }
        static var defaultExecutor: any TaskExecutor { ofProcess }
    }

    /// Makes `ofProcess` the executor of all tasks that have no other executor. Call this before the runtime makes an
    /// executor of its own, which would start threads.
    static func install() { _createExecutors(factory: Factory.self) }
}
