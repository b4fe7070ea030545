internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// One thread that waits for many descriptors and timers, and runs their handlers one after another.
///
/// While no descriptor is ready and no timer is set, the thread sleeps without limit. Handlers must not block, because
/// all other handlers of the loop wait meanwhile. The loop lives until `shutDown`.
public final class EventLoop: Sendable {
    enum Phase {
        case running, stopping, stopped
    }

    struct Registration {
        let number: Int32
        let handler: @Sendable (Readiness) -> Void
    }

    struct State: ~Copyable {
        var phase = Phase.running
        var lastToken: UInt64 = 0
        var watches: [UInt64: Registration] = [:]
        var timers: [UInt64: @Sendable () -> Void] = [:]
        var timerQueue = TimerQueue()
        var jobs: [@Sendable () -> Void] = []
        /// The token of the watch whose handler is running, or 0 if no handler is running.
        var running: UInt64 = 0
        /// Whether the counter already holds a wake-up that the thread has not seen.
        var wakeIsPending = false
        /// The time at which the thread's current sleep ends by itself. Nil if the sleep has no limit, 0 if the thread
        /// is awake.
        var sleepsUntil: UInt64? = 0
        /// Whether the alarm was set to shorten the current sleep or an earlier sleep.
        var alarmIsSet = false
    }

    let state = Mutex(State())
    let queue: Descriptor
    let counter: Descriptor
    /// A timer descriptor that ends a sleep at a deadline that was set during this sleep. The thread therefore need not
    /// be woken when the deadline is set.
    let alarm: Descriptor
    private let thread = Mutex<WorkerThread?>(nil)
    /// The mark of the loop's thread. A method compares it with the mark of the calling thread, to find out whether a
    /// handler called the method.
    let threadMark = Atomic<UInt64>(0)

    /// Starts the thread.
    /// - Parameter name: the name that debuggers and `top -H` show, at most 15 bytes.
    package init(name: String = "annex-events") throws(SystemError) {
        queue = Descriptor(owning: try SystemError.check("epoll_create1", annex_event_queue()))
        counter = Descriptor(owning: try SystemError.check("eventfd", annex_event_counter()))
        alarm = Descriptor(owning: try SystemError.check("timerfd_create", annex_event_timer()))
        _ = try SystemError.check("epoll_ctl", annex_event_add(queue.number, counter.number, Self.counterToken))
        _ = try SystemError.check("epoll_ctl", annex_event_add_timer(queue.number, alarm.number, Self.alarmToken))
        var started: WorkerThread? = try WorkerThread(name) { [self] in run() }
        thread.withLock { $0 = started.take() }
    }

    /// Tokens that no watch has.
    static let counterToken: UInt64 = 0
    static let alarmToken = UInt64.max

    private static let one = Mutex<EventLoop?>(nil)

    /// The program's only shared loop. The first call starts this loop. It is never shut down.
    public static func shared() throws(SystemError) -> EventLoop {
        try one.withLock { (loop) throws(SystemError) in
            if let loop { return loop }
            let made = try EventLoop()
            loop = made
            return made
        }
    }

    /// Ends the thread and waits for its end. If a handler calls this method, the call does not wait. Handlers that
    /// have not started are dropped. Accepted jobs still run. Every later call does nothing, and `watch` throws
    /// `ESHUTDOWN`.
    package func shutDown() {
        state.withLock { if $0.phase == .running { $0.phase = .stopping } }
        wake()
        guard let thread = thread.withLock({ $0.take() }), !isCurrent else { return }
        thread.join()
    }

    /// Whether the caller runs on the loop's thread.
    package var isCurrent: Bool {
        // SYNC: the load is relaxed. Only the loop's thread can find its own mark here, and this thread stored the
        // mark.
        threadMark.load(ordering: .relaxed) == annex_thread_current()
    }

    func wake() {
        _ = annex_event_counter_add(counter.number)
    }
}

/// The reasons why a watched descriptor's handler runs.
package struct Readiness: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The descriptor is readable or at its end.
    package static let readable = Readiness(rawValue: 1)
}

extension EventLoop {
    /// A watched descriptor. Dropping the value does not end the watch. Only `cancel` and `cancelAndWait` end it.
    package struct Watch: Sendable {
        let loop: EventLoop
        let token: UInt64

        /// Ends the watch. Call this method before the descriptor is closed. After it returns, no handler of this watch
        /// starts. A handler that has started on the loop's thread runs to its end. A second call is harmless.
        package func cancel() {
            loop.cancelWatch(token)
        }

        /// Ends the watch like `cancel`, and waits for a handler that has started. A call on the loop's own thread does
        /// not wait. The caller must hold no lock that the handler needs.
        package func cancelAndWait() {
            loop.cancelWatch(token)
            loop.waitForHandler(token)
        }
    }

    /// A timer that has been set. Dropping the value does not cancel the timer: it fires unless `cancel` is called.
    package struct Timer: Sendable {
        let loop: EventLoop
        let token: UInt64

        /// Cancels the timer. After this method returns, the handler does not start any more.
        /// - Returns: whether the timer had not fired yet.
        @discardableResult
        package func cancel() -> Bool {
            loop.cancelTimer(token)
        }
    }
}
