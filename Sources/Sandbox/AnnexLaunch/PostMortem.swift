internal import AnnexLinux
internal import Synchronization

/// The slow work after denials and ends of sandboxes, on a thread of its own: it walks stacks, names functions and
/// removes control groups. The sandboxed programs decide how long this work takes, so the work never runs on the loop
/// that serves the channels, and shares its thread with no other work.
final class PostMortem: Sendable {
    private struct State {
        var ends: [@Sendable () -> Void] = []
        var walks: [@Sendable () -> Void] = []
    }

    /// The only instance in this process.
    static let shared = PostMortem()
    /// The most stack copies that may wait, summed over all sandboxes. Each copy has up to `StackSample.largest` bytes.
    static let mostWalks = 64

    /// The thread waits a second for more work. If the end of each sandbox started a new thread, the host would learn
    /// of each end 0.1 ms later.
    private let lane = Lane("annex-endings", rest: .seconds(1))
    private let state = Mutex(State())
    /// The number of stacks walked and jobs done.
    private let done = Atomic<Int>(0)

    /// Whether the caller runs on the thread of this object.
    var isCurrent: Bool { lane.isCurrent }

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
        let isTaken = state.withLock { state in
            guard state.walks.count < Self.mostWalks else { return false }
            state.walks.append(job)
            return true
        }
        if isTaken { start() }
        return isTaken
    }

    /// Queues the remaining work for a sandbox that has ended. Each sandbox has one such job, and no job is ever
    /// dropped.
    func end(_ job: @escaping @Sendable () -> Void) {
        state.withLock { $0.ends.append(job) }
        start()
    }

    /// Lets the lane do as many jobs as were queued. Each time it does the job that is then the first.
    private func start() { lane.run { [self] in doNext() } }

    private func doNext() {
        let job = state.withLock { state -> (@Sendable () -> Void)? in
            if !state.ends.isEmpty { return state.ends.removeFirst() }
            return state.walks.isEmpty ? nil : state.walks.removeFirst()
        }
        job?()
        advance()
    }

    /// Counts a stack that was walked, or a job that is done.
    func advance() {
        // SYNC: see `count`.
        done.add(1, ordering: .relaxed)
    }
}
