internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// A thread that runs jobs in their order, and leads one channel while it has none.
///
/// It sleeps on the channel's ring and on its own summons at once. So an answer wakes it without a doorbell, and a job
/// or the channel's end wakes it whatever the extension does to the ring's word. It needs no time-out for that. The
/// deadlines of calls are timers of the event loop, which enqueue their tasks here.
final class LeadingThread: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        /// Whether the thread has found no job and has not checked again since.
        var isIdle = false
        var isStopped = false
    }

    private let state = Mutex(State())
    private let leader: RingLeader
    private let summons = Summons()
    private let threadMark = Atomic<UInt64>(0)

    init(_ leader: RingLeader) throws(SystemError) {
        try Summons.check()
        self.leader = leader
        guard leader.dedicate(to: summons) else {
            throw SystemError(
                "ChannelExecutor", errno: EBUSY, remedy: "use the executor that is dedicated to this channel already")
        }
        do throws(SystemError) {
            _ = try WorkerThread("annex-leading") { [self] in run() }
        } catch {
            leader.release(summons)
            throw error
        }
    }

    /// Runs a job after those that were handed in before.
    func execute(_ job: @escaping @Sendable () -> Void) {
        let mustWake = state.withLock { state in
            state.jobs.append(job)
            // The thread itself checks for jobs before it sleeps.
            defer { if !isCurrent { state.isIdle = false } }
            return state.isIdle && !isCurrent
        }
        if mustWake { summons.send() }
    }

    /// Lets the thread end after the jobs that it has. Does not wait for its end.
    func stop() {
        state.withLock { $0.isStopped = true }
        summons.send()
        // A thread that was summoned leads no more, so a new one may begin.
        leader.release(summons)
    }

    private var isCurrent: Bool {
        // SYNC: relaxed: only the thread itself can find its own mark here, and it stored it itself.
        threadMark.load(ordering: .relaxed) == annex_thread_current()
    }

    private func run() {
        threadMark.store(annex_thread_current(), ordering: .relaxed)
        var jobs: [@Sendable () -> Void] = []
        while true {
            // Read before the jobs are checked: a later job raises the count, and the thread does not sleep.
            let seen = summons.count
            guard take(&jobs) else { return }
            if jobs.isEmpty { leader.leadIdle(until: summons, since: seen) }
            for job in jobs { job() }
            // A job holds its executor, and the last one to go ends this thread.
            jobs.removeAll(keepingCapacity: true)
        }
    }

    /// Takes all waiting jobs into an empty array.
    /// - Returns: false if the thread must end.
    private func take(_ jobs: inout [@Sendable () -> Void]) -> Bool {
        state.withLock { state in
            swap(&jobs, &state.jobs)
            state.isIdle = jobs.isEmpty
            return !(jobs.isEmpty && state.isStopped)
        }
    }
}
