internal import AnnexLinux
internal import CAnnexLinux
internal import Synchronization

/// What refused calls and ended sandboxes left is looked at here, on one thread of its own: stacks are walked, functions
/// are named, control groups are removed. How long that takes, the programs decide; the loop that serves every channel
/// does none of it.
///
/// The thread is there while there is work.
final class PostMortem: Sendable {
    private struct State {
        var ends: [@Sendable () -> Void] = []
        var looks: [@Sendable () -> Void] = []
        var isRunning = false
    }

    /// The process's one.
    static let shared = PostMortem()
    /// Copies of stacks that wait at most, of all sandboxes together. Each has up to `StackSample.largest` bytes.
    static let mostLooks = 64

    private let state = Mutex(State())
    /// The thread's own mark; 0: there is none.
    private let threadMark = Atomic<UInt64>(0)
    /// Stacks walked and jobs done so far.
    private let done = Atomic<Int>(0)

    /// Whether the caller runs on the thread.
    var isCurrent: Bool {
        // SYNC: only the thread itself can find its own mark here, and it stored it itself.
        threadMark.load(ordering: .relaxed) == annex_thread_current()
    }

    /// Stacks walked and jobs done so far. A job with many stacks counts each, so that it does not look like one that hangs.
    var count: Int {
        // SYNC: a count that no other data is read by.
        done.load(ordering: .relaxed)
    }

    /// Takes a look at a stack, after every end that waits.
    /// - Returns: false where as many wait as may: then the job is not done.
    func look(_ job: @escaping @Sendable () -> Void) -> Bool {
        let (isTaken, mustStart) = state.withLock { state in
            guard state.looks.count < Self.mostLooks else { return (false, false) }
            state.looks.append(job)
            defer { state.isRunning = true }
            return (true, !state.isRunning)
        }
        if mustStart { start() }
        return isTaken
    }

    /// Does what is left to do for a sandbox that has ended: one job a sandbox, and none is ever dropped.
    func end(_ job: @escaping @Sendable () -> Void) {
        let mustStart = state.withLock { state in
            state.ends.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart { start() }
    }

    /// Where no thread is to be had now, one may be later.
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
            if !state.looks.isEmpty { return state.looks.removeFirst() }
            state.isRunning = false
            // SYNC: see `isCurrent`. Under the lock, so that the next thread's mark comes after it.
            threadMark.store(0, ordering: .relaxed)
            return nil
        }
    }
}
