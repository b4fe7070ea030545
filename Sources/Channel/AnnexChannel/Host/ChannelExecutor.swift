internal import AnnexLinux

/// Runs tasks on the thread that reads the channels whenever nobody waits in them: an answer that arrives there resumes
/// its caller there, without waking another thread.
///
/// ```swift
/// try await withTaskExecutorPreference(session.channel.executor) {
///     try await session.call(Resize(width: 320, image: picture))
/// }
/// ```
///
/// All channels share the thread: what runs on it must not block, and must not call without `await`.
public final class ChannelExecutor: TaskExecutor, SerialExecutor {
    private let loop: EventLoop

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { [self] in
            // SAFETY: a job is run exactly once, which the loop's queue does, and this object outlives the run.
            unsafe job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
    }
}
