internal import AnnexLinux
internal import CAnnexLinux
internal import Synchronization

/// One thread for the slow work after denials and ends of sandboxes: it walks stacks, names functions and removes
/// control groups. The sandboxed programs decide how long this takes, so it never runs on the loop that serves every
/// channel.
///
/// The thread exists only while there is work.
final class PostMortem: Sendable {
    private struct State {
        var ends: [@Sendable () -> Void] = []
        var walks: [@Sendable () -> Void] = []
        var isRunning = false
    }

    /// The one instance of this process.
    static let shared = PostMortem()
    /// The most stack copies that may wait, over all sandboxes. Each has up to `StackSample.largest` bytes.
    static let mostWalks = 64

    private let state = Mutex(State())
    /// The mark of the thread; 0 while there is none.
    private let threadMark = Atomic<UInt64>(0)
    /// The number of stacks walked and jobs done.
    private let done = Atomic<Int>(0)

    /// Whether the caller runs on this thread.
    var isCurrent: Bool {
        // SYNC: only the thread itself can find its own mark here, and it stored that mark itself.
        threadMark.load(ordering: .relaxed) == annex_thread_current()
    }

    /// The number of stacks walked and jobs done. Each stack counts, so that a job with many of them does not look
    /// stuck.
    var count: Int {
        // SYNC: a counter that orders no other data.
        done.load(ordering: .relaxed)
    }

    /// Queues the walk of a stack. Queued ends of sandboxes are handled first.
    ///
    /// - Returns: false if too many walks are waiting; the job is then dropped.
    func queueWalk(_ job: @escaping @Sendable () -> Void) -> Bool {
        let (isTaken, mustStart) = state.withLock { state in
            guard state.walks.count < Self.mostWalks else { return (false, false) }
            state.walks.append(job)
            defer { state.isRunning = true }
            return (true, !state.isRunning)
        }
        if mustStart { start() }
        return isTaken
    }

    /// Queues the remaining work for a sandbox that has ended: one job for each sandbox, and none is ever dropped.
    func end(_ job: @escaping @Sendable () -> Void) {
        let mustStart = state.withLock { state in
            state.ends.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart { start() }
    }

    /// Starts the thread. If that fails now, it may succeed later.
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
        while let job = next() {
            job()
            advance()
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
            state.isRunning = false
            // SYNC: see `isCurrent`. Under the lock, so that the next thread's mark comes after it.
            threadMark.store(0, ordering: .relaxed)
            return nil
        }
    }
}
