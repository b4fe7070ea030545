internal import Glibc

/// Notices changes of files and folders (inotify(7)).
package final class FileWatch: Sendable {
    private let queue: Descriptor
    private let watch: EventLoop.Watch

    /// - Parameters:
    ///   - places: each file or folder, with the events of inotify to watch it for.
    ///   - onChange: called on the loop's thread. One call may stand for many changes.
    package init(
        _ places: [(path: String, events: Int32)], on loop: EventLoop, onChange: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let number = try SystemError.retrying("inotify_init1") { inotify_init1(Int32(IN_NONBLOCK) | O_CLOEXEC) }
        let queue = Descriptor(owning: number)
        for (path, events) in places {
            _ = try SystemError.retrying("inotify_add_watch", path: path) {
                unsafe inotify_add_watch(number, path, UInt32(events))
            }
        }
        watch = try loop.watch(number) { _ in
            Self.drain(number)
            onChange()
        }
        self.queue = queue
    }

    deinit {
        watch.cancelAndWait()
    }

    /// `onChange` need not know which file changed, so this function reads the events and drops them.
    private static func drain(_ number: Int32) {
        var room = [UInt8](repeating: 0, count: 4096)
        // SAFETY: read writes at most the array's size.
        while unsafe read(number, &room, room.count) > 0 {}
    }
}
