internal import AnnexLinux

/// An executor that runs tasks on the event loop's thread, which reads the channels while no caller does. An answer
/// that arrives there resumes its caller on the same thread, without waking another one.
///
/// ```swift
/// try await withTaskExecutorPreference(session.channel.executor) {
///     try await session.call(Resize(width: 320, image: picture))
/// }
/// ```
///
/// All channels share this thread. Code that runs on it must not block, and must make its calls with `await`.
public final class ChannelExecutor: TaskExecutor, SerialExecutor {
    private let loop: EventLoop

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { [self] in
            // SAFETY: the loop's queue runs each job exactly once, and this object outlives the run.
            unsafe job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
    }
}
