internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// The warden's process, whose end is taken where nothing else takes it.
///
/// Its parent is gone by the time it runs. Where this process is the first of its process namespace (a container's entry
/// point), or asked for orphans (`PR_SET_CHILD_SUBREAPER`), the kernel makes it the warden's parent: a child that ended
/// and that no parent asks for would stay as a zombie.
final class WardenProcess: Sendable {
    let handle: ProcessHandle
    private let watch = Mutex<EventLoop.Watch?>(nil)

    init(_ handle: consuming ProcessHandle) {
        self.handle = handle
    }

    /// Says when the process has ended, and takes its end. The loop keeps this object until then.
    func watchEnd(on loop: EventLoop, _ told: @escaping @Sendable () -> Void) throws(SystemError) {
        try watch.withLock { (watch) throws(SystemError) in
            watch = try loop.watch(handle.descriptor.number) { _ in
                told()
                self.finish()
            }
        }
    }

    /// Takes the end of a process that has ended, after what the loop is just telling of it.
    func finish() {
        // Left where it is: to come here a second time is to wait for the first.
        watch.withLock { $0 }?.cancelAndWait()
        var information = unsafe siginfo_t()
        let options = WEXITED | WNOHANG | Int32(bitPattern: UInt32(__WALL))
        // SAFETY: the call fills the structure and keeps nothing. It fails where the process is no child of this one.
        _ = unsafe waitid(Self.byHandle, id_t(handle.descriptor.number), &information, options)
    }

    /// `P_PIDFD`.
    private static let byHandle = idtype_t(3)
}
