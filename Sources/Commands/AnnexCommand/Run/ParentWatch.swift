import AnnexLaunch
import AnnexLinux
import Glibc
import Synchronization

/// Watches the process that started this process, for the option `--end-with-parent`.
///
/// The watch uses the parent's pidfd. The kernel's signal for a parent's death (`PR_SET_PDEATHSIG`) would come too
/// early, because it comes when the thread ends that started this process.
final class ParentWatch: Sendable {
    private let parent: ProcessHandle
    private let watch = Mutex<EventLoop.Watch?>(nil)

    /// Call this initialiser as early as possible.
    /// - Throws: if there is no parent to watch.
    init() throws(SandboxError) {
        let number = getppid()
        if let problem = Self.problem(parent: number, isOfOwnSession: getsid(0) == getsid(number)) { throw problem }
        do throws(SystemError) {
            parent = try ProcessHandle(process: number)
        } catch {
            throw error.errno == ESRCH ? Self.ended : SandboxError("parent", error: error)
        }
        // If the parent ended before its pidfd was opened, another process may have got its number.
        guard getppid() == number else { throw Self.ended }
    }

    deinit { watch.withLock { $0.take() }?.cancel() }

    /// Calls `ended` once, on the loop's thread, when the parent ends. If it has ended already, the call comes at once.
    func begin(on loop: EventLoop, _ ended: @escaping @Sendable () -> Void) throws(SystemError) {
        try watch.withLock { (watch) throws(SystemError) in
            watch = try loop.watch(parent.descriptor.number) { [weak self] _ in
                guard let watch = self?.watch.withLock({ $0.take() }) else { return }
                watch.cancel()
                ended()
            }
        }
    }

    /// Why a parent cannot be watched; nil if it can. If a parent ends, the kernel gives its children to another
    /// process, which is often the first process. The children keep the session of their parent.
    static func problem(parent: Int32, isOfOwnSession: Bool) -> SandboxError? {
        switch parent {
        case 0:
            SandboxError(
                "parent", cause: "the process that started annex is outside this container, where annex cannot see it",
                remedy: "leave --end-with-parent out, and end annex itself")
        case 1 where !isOfOwnSession:
            SandboxError(
                "parent", cause: "the parent ended before annex began, or the parent is the first process",
                remedy: "leave --end-with-parent out: everything ends with the first process")
        default: nil
        }
    }

    private static var ended: SandboxError { SandboxError("parent", cause: "the parent ended before annex began") }
}
