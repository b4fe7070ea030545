public import AnnexLinux

/// An executor that runs tasks on a thread that reads a channel. An answer that this thread reads resumes its caller on
/// the same thread, without waking another thread.
///
/// ```swift
/// try await withTaskExecutorPreference(session.channel.executor) {
///     try await session.call(Resize(width: 320, image: picture))
/// }
/// ```
///
/// `HostEndpoint.executor` runs tasks on the event loop's thread, which reads each channel while no caller reads it.
/// This executor needs no additional thread. Code that runs on it must not block, and must make its calls with `await`.
///
/// `init(dedicatedTo:)` starts one thread for one channel. While the thread has no task to run, it reads the channel
/// and sleeps on the channel's memory. A suspended task then gets its answer a few microseconds sooner.
public final class ChannelExecutor: TaskExecutor, SerialExecutor {
    private enum Runner {
        case loop(EventLoop)
        case thread(LeadingThread)
    }

    private let runner: Runner

    init(_ loop: EventLoop) {
        runner = .loop(loop)
    }

    /// Starts a thread that runs tasks and reads one channel between them.
    ///
    /// The thread lives as long as this object, or until its last task has run if that is later. Until then the thread
    /// also keeps the channel alive. After the end of the channel, the thread still runs tasks.
    ///
    /// - A channel has at most one dedicated executor at a time, and that executor reads no other channel. Tasks of the
    ///   executor may call through any channel.
    /// - A task that blocks delays the other tasks of this executor. Meanwhile the event loop's thread reads the
    ///   channel.
    /// - While the executor's thread sleeps, it waits for frames for all callers of the channel. A blocking call of
    ///   another thread then waits for two wake-ups instead of one. So make most calls of this channel from tasks of
    ///   its executor.
    ///
    /// - Parameter channel: the channel that the thread reads.
    /// - Throws: `EBUSY` if the channel has a dedicated executor already; `ENOSYS` before Linux 5.16; the error of
    ///   starting the thread.
    public init(dedicatedTo channel: HostEndpoint) throws(SystemError) {
        runner = .thread(try LeadingThread(channel.leader))
    }

    deinit {
        // Each waiting job holds this object, so no job is left.
        if case .thread(let thread) = runner { thread.stop() }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let run: @Sendable () -> Void = { [self] in
            // SAFETY: the queue runs each job exactly once, and this object outlives the run.
            unsafe job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
        switch runner {
        case .loop(let loop): loop.execute(run)
        case .thread(let thread): thread.execute(run)
        }
    }
}
