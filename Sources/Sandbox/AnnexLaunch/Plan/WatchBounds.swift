internal import AnnexLinux
internal import Glibc

/// How much of the caller's share of inotify(7) one sandbox gets.
///
/// The kernel counts queues and watches for each user, and also in each user namespace. Without bounds of its own, a
/// sandbox could use up everything that its user has. The user's editors could then watch no file. So the sandbox's user
/// namespace gets a part of it.
package struct WatchBounds: Sendable, Hashable {
    /// The most queues (`inotify_init1`).
    package let queues: UInt32
    /// The most watches of all queues together.
    package let watches: UInt32

    /// - Parameters:
    ///   - queues: how many queues a user of this machine may have.
    ///   - watches: how many watches a user of this machine may have.
    package init(ofQueues queues: UInt64, watches: UInt64) {
        self.queues = UInt32(min(max(1, queues / 4), 64))
        self.watches = UInt32(min(max(1, watches / 4), 1 << 18))
    }

    /// A part of what this machine gives to a user. If the machine does not say how much this is, the part is small.
    package static let ofMachine: WatchBounds = {
        let (queues, watches) = ("max_inotify_instances", "max_inotify_watches")
        return WatchBounds(
            ofQueues: least(["/proc/sys/user/" + queues, "/proc/sys/fs/inotify/max_user_instances"]) ?? 128,
            watches: least(["/proc/sys/user/" + watches, "/proc/sys/fs/inotify/max_user_watches"]) ?? 8192)
    }()

    /// The smallest number of these files. The first file is about this process's user namespace, the second one about the
    /// whole machine.
    private static func least(_ files: [String]) -> UInt64? { files.compactMap(TextFile.number).min() }
}
