internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// A thread that runs jobs in their order, and leads one channel while it has no jobs.
///
/// The thread sleeps on the channel's ring and on its own summons at the same time. So an answer wakes the thread
/// without a doorbell. A job or the channel's end wakes the thread whatever the extension does to the ring's word, so
/// the sleep needs no timeout. For the deadline of a call, the event loop has a timer. The timer enqueues the call's
/// task on this thread.
final class LeadingThread: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        /// Whether the thread found no job at its last check. A job that another thread adds clears this mark.
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

    /// Runs a job after all jobs that were passed in before.
    func execute(_ job: @escaping @Sendable () -> Void) {
        let mustWake = state.withLock { state in
            state.jobs.append(job)
            // If the thread itself adds a job, it needs no wake-up, because it checks for jobs before it sleeps.
            defer { if !isCurrent { state.isIdle = false } }
            return state.isIdle && !isCurrent
        }
        if mustWake { summons.send() }
    }

    /// Lets the thread end after its remaining jobs. Does not wait for the thread's end.
    func stop() {
        state.withLock { $0.isStopped = true }
        summons.send()
        // A stopped thread that was summoned no longer leads, so a new dedicated thread may begin.
        leader.release(summons)
    }

    private var isCurrent: Bool {
        // SYNC: relaxed, because only the thread itself can find its own mark here, and the thread itself stored that
        // mark.
        threadMark.load(ordering: .relaxed) == annex_thread_current()
    }

    private func run() {
        threadMark.store(annex_thread_current(), ordering: .relaxed)
        var jobs: [@Sendable () -> Void] = []
        while true {
            // The count is read before the jobs are checked. A later job raises the count, and then the thread does not
            // sleep.
            let seen = summons.count
            guard take(&jobs) else { return }
            if jobs.isEmpty { leader.leadIdle(until: summons, since: seen) }
            for job in jobs { job() }
            // A job holds its executor, so the jobs that have run are released here. When the last reference to the
            // executor is dropped, this thread is stopped.
            jobs.removeAll(keepingCapacity: true)
        }
    }

    /// Moves all waiting jobs into an empty array.
    /// - Returns: false if the thread must end.
    private func take(_ jobs: inout [@Sendable () -> Void]) -> Bool {
        state.withLock { state in
            swap(&jobs, &state.jobs)
            state.isIdle = jobs.isEmpty
            return !(jobs.isEmpty && state.isStopped)
        }
    }
}
