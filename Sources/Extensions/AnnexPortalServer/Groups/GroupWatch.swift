internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// Notices that another process has changed the store of a group (inotify(7)).
///
/// SQLite writes its log before the change becomes visible to others, so an event can come too early. A process therefore writes
/// one more byte after its commit (`OpenGroup.announceChange`). If it was killed in between, a second look finds the change.
final class GroupWatch: Sendable {
    /// When the second look follows an event. A commit is visible long before that.
    private static let secondLook = Duration.milliseconds(50)

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
        _ = try SystemError.retrying("inotify_add_watch", path: path) {
            unsafe inotify_add_watch(number, path, UInt32(IN_MODIFY))
        }
        let later = LaterLook(loop, after: Self.secondLook, onChange)
        watch = try loop.watch(number) { _ in
            Self.drain(number)
            onChange()
            later.ask()
        }
        self.queue = queue
    }

    deinit {
        watch.cancelAndWait()
    }

    /// Which file changed does not matter, so the events are only taken out.
    private static func drain(_ number: Int32) {
        var room = [UInt8](repeating: 0, count: 4096)
        // SAFETY: read writes at most the array's size.
        while unsafe read(number, &room, room.count) > 0 {}
    }
}

/// Calls a closure some time after the last request for it.
private final class LaterLook: Sendable {
    private let loop: EventLoop
    private let pause: Duration
    private let look: @Sendable () -> Void
    private let timer = Mutex<EventLoop.Timer?>(nil)

    init(_ loop: EventLoop, after pause: Duration, _ look: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.pause = pause
        self.look = look
    }

    func ask() {
        let next = loop.schedule(after: pause, look)
        let last = timer.withLock { timer in
            defer { timer = next }
            return timer
        }
        last?.cancel()
    }
}
