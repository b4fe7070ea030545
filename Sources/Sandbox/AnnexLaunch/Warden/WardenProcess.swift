internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// The warden's process. Its exit status is collected here if no other process does it.
///
/// Its parent has ended by the time it runs, so the kernel gives it a new parent. That is this process if it is the
/// first of its pid namespace (a container's entry point) or asked for orphans (`PR_SET_CHILD_SUBREAPER`). A child that
/// ended stays a zombie until its parent collects its status.
final class WardenProcess: Sendable {
    let handle: ProcessHandle
    private let watch = Mutex<EventLoop.Watch?>(nil)

    init(_ handle: consuming ProcessHandle) {
        self.handle = handle
    }

    /// Calls `told` when the process has ended, and collects its exit status. The loop keeps this object until then.
    func watchEnd(on loop: EventLoop, _ told: @escaping @Sendable () -> Void) throws(SystemError) {
        try watch.withLock { (watch) throws(SystemError) in
            watch = try loop.watch(handle.descriptor.number) { _ in
                told()
                self.finish()
            }
        }
    }

    /// Collects the status of a process that has ended, and ends its watch. On the loop's own thread it does not wait.
    /// On any other thread it first waits until a running callback of the watch has returned.
    func finish() {
        // The watch stays in place: a second call then waits for the same cancellation.
        watch.withLock { $0 }?.cancelAndWait()
        var information = unsafe siginfo_t()
        let options = WEXITED | WNOHANG | Int32(bitPattern: UInt32(__WALL))
        // SAFETY: the call fills the structure and keeps nothing. It fails if the process is no child of this one.
        _ = unsafe waitid(Self.byHandle, id_t(handle.descriptor.number), &information, options)
    }

    /// The value of `P_PIDFD`.
    private static let byHandle = idtype_t(3)
}
