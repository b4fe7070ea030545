internal import AnnexLinux
internal import CAnnexLinux
internal import Synchronization

/// A thread for the slow work after denials and ends of sandboxes. The thread walks stacks, names functions and removes
/// control groups. The sandboxed programs decide how long this work takes, so the work never runs on the loop that
/// serves the channels.
///
/// The thread exists only while there is work and for one second afterwards. If the end of each sandbox started a new
/// thread, the host would learn of each end 0.1 ms later.
final class PostMortem: Sendable {
    private enum Stage {
        case noThread
        case working
        case waiting
    }

    private struct State {
        var ends: [@Sendable () -> Void] = []
        var walks: [@Sendable () -> Void] = []
        var stage = Stage.noThread

        /// Marks the thread as working and returns its earlier stage.
        mutating func wake() -> Stage {
            defer { stage = .working }
            return stage
        }
    }

    /// The only instance in this process.
    static let shared = PostMortem()
    /// The most stack copies that may wait, summed over all sandboxes. Each copy has up to `StackSample.largest` bytes.
    static let mostWalks = 64
    /// How long the thread waits for more work.
    private static let patience = Duration.seconds(1)

    private let state = Mutex(State())
    private let parker = Parker()
    /// The number that `annex_thread_current` gives to the thread; 0 while there is no thread.
    private let threadMark = Atomic<UInt64>(0)
    /// The number of stacks walked and jobs done.
    private let done = Atomic<Int>(0)

    /// Whether the caller runs on the thread of this object.
    var isCurrent: Bool {
        // SYNC: only the thread itself can find its own mark here, and it stored that mark itself.
        threadMark.load(ordering: .relaxed) == annex_thread_current()
    }

    /// The number of stacks walked and jobs done. Each stack counts, so that a job with many stacks does not look
    /// stuck.
    var count: Int {
        // SYNC: a counter that orders no other data.
        done.load(ordering: .relaxed)
    }

    /// Queues the walk of a stack. The thread handles all queued ends of sandboxes before the queued walks.
    ///
    /// - Returns: false if too many walks are waiting. The job is then dropped.
    func queueWalk(_ job: @escaping @Sendable () -> Void) -> Bool {
        let stage: Stage? = state.withLock { state in
            guard state.walks.count < Self.mostWalks else { return nil }
            state.walks.append(job)
            return state.wake()
        }
        guard let stage else { return false }
        wake(stage)
        return true
    }

    /// Queues the remaining work for a sandbox that has ended. Each sandbox has one such job, and no job is ever
    /// dropped.
    func end(_ job: @escaping @Sendable () -> Void) {
        wake(
            state.withLock { state in
                state.ends.append(job)
                return state.wake()
            })
    }

    private func wake(_ stage: Stage) {
        switch stage {
        case .noThread: start()
        case .waiting: parker.unpark()
        case .working: break
        }
    }

    /// Starts the thread. If the start fails, it is tried again later.
    private func start() {
        do throws(SystemError) {
            _ = try WorkerThread("annex-endings") { [self] in work() }
        } catch {
            (try? EventLoop.shared())?.schedule(after: .milliseconds(20)) { [self] in start() }
        }
    }

    private func work() {
        // SYNC: see `isCurrent`.
        threadMark.store(annex_thread_current(), ordering: .relaxed)
        repeat {
            while let job = next() {
                job()
                advance()
            }
        } while waitForWork()
    }

    /// - Returns: false if no work came in time. A later job then starts another thread.
    private func waitForWork() -> Bool {
        let deadline = MonotonicClock.deadline(after: Self.patience)
        while state.withLock({ $0.stage == .waiting }) {
            guard MonotonicClock.remaining(until: deadline) > 0 else { return stays() }
            parker.park(until: deadline)
        }
        return true
    }

    /// Lets the thread end, unless work came at the last moment.
    ///
    /// - Returns: whether the thread stays.
    private func stays() -> Bool {
        state.withLock { state in
            guard state.stage == .waiting else { return true }
            state.stage = .noThread
            // SYNC: see `isCurrent`. The mark is cleared under the lock, so that the next thread stores its mark
            // afterwards.
            threadMark.store(0, ordering: .relaxed)
            return false
        }
    }

    /// Counts a stack that was walked, or a job that is done.
    func advance() {
        // SYNC: see `count`.
        done.add(1, ordering: .relaxed)
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            if !state.ends.isEmpty { return state.ends.removeFirst() }
            if !state.walks.isEmpty { return state.walks.removeFirst() }
            state.stage = .waiting
            return nil
        }
    }
}
