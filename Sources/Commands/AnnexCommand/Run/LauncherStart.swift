import AnnexLinux
import AnnexPolicy
import AnnexLaunch
import Synchronization

/// Starts the launcher on a thread of its own. The launcher examines this machine and waits for its warden, while the
/// caller prepares the launch.
final class LauncherStart: Sendable {
    private let waived: Set<SandboxLayer>
    private let outcome = Mutex<Result<Launcher, SandboxError>?>(nil)
    /// Nil if the thread was joined, or could not be started.
    private let thread = Mutex<WorkerThread?>(nil)

    init(waiving waived: Set<SandboxLayer>) {
        self.waived = waived
        var started = try? WorkerThread("annex-start") { [self] in start() }
        thread.withLock { $0 = started.take() }
    }

    private func start() {
        let result = Result { () throws(SandboxError) in try Launcher.shared(waiving: waived) }
        outcome.withLock { $0 = result }
    }

    /// Waits for the launcher and returns it.
    func launcher() throws(SandboxError) -> Launcher {
        settle()
        if let result = outcome.withLock({ $0 }) { return try result.get() }
        return try Launcher.shared(waiving: waived)
    }

    /// Waits for the thread, so that nothing is half done when the program ends.
    func settle() {
        guard let thread = thread.withLock({ $0.take() }) else { return }
        thread.join()
    }
}
