internal import Synchronization

/// Runs a job once, whichever of several events comes first.
package final class Once: Sendable {
    private let job: Mutex<(@Sendable () -> Void)?>

    package init(_ job: @escaping @Sendable () -> Void) { self.job = Mutex(job) }

    package func run() { job.withLock { $0.take() }?() }
}
