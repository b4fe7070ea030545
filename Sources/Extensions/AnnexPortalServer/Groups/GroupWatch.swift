internal import AnnexLinux
internal import Glibc

/// Notices that another process has changed the store of a group (inotify(7)).
///
/// A process that has committed a change writes a byte into the page of shared words (`OpenGroup.announceChange`), and the others
/// look. The writes of SQLite itself do not wake them: they come before the change is visible, and several for each change. If the
/// process was killed between both, the kernel closes the files that it had open for writing, and that wakes the others too.
final class GroupWatch: Sendable {
    private let queue: Descriptor
    private let watch: EventLoop.Watch

    /// - Parameters:
    ///   - directory: the folder of the group. The members' files lie deeper, and their changes are not noticed.
    ///   - onChange: called on the loop's thread. One call may stand for many changes.
    init(
        _ directory: borrowing Descriptor, on loop: EventLoop, onChange: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let number = try SystemError.retrying("inotify_init1") { inotify_init1(Int32(IN_NONBLOCK) | O_CLOEXEC) }
        let queue = Descriptor(owning: number)
        let path = "/proc/self/fd/\(directory.number)"
        try Self.watch("\(path)/\(SharedPage.name)", for: IN_MODIFY, in: queue)
        try Self.watch(path, for: IN_CLOSE_WRITE, in: queue)
        watch = try loop.watch(number) { _ in
            Self.drain(number)
            onChange()
        }
        self.queue = queue
    }

    deinit {
        watch.cancelAndWait()
    }

    private static func watch(
        _ path: String, for events: Int32, in queue: borrowing Descriptor
    ) throws(SystemError) {
        let number = queue.number
        _ = try SystemError.retrying("inotify_add_watch", path: path) {
            unsafe inotify_add_watch(number, path, UInt32(events))
        }
    }

    /// Which file changed does not matter, so the events are only taken out.
    private static func drain(_ number: Int32) {
        var room = [UInt8](repeating: 0, count: 4096)
        // SAFETY: read writes at most the array's size.
        while unsafe read(number, &room, room.count) > 0 {}
    }
}
