package import AnnexLinux
internal import AnnexPolicy
internal import Glibc
internal import Synchronization

/// Holds a sandbox's scratch directory, so that this process can look at its files after the sandbox is gone. The
/// files stay in memory until the descriptor is closed.
///
/// It also watches the working directory, if the launch made it because the sandbox lacks the caller's directory. Then this
/// process can tell whether the program listed the empty directory.
package final class KeptScratch: Sendable {
    private struct Kept: ~Copyable {
        var scratch: Descriptor?
        /// An inotify queue with a watch on the working directory.
        var watch: Descriptor?
        /// The path of the working directory from the scratch directory; nil if the launch does not make it.
        var path: String?
    }

    private let kept = Mutex(Kept())

    package init() {}

    /// Also watches the working directory.
    /// - Parameters:
    ///   - directory: a directory that the launch makes.
    ///   - scratch: the path of the scratch directory.
    func expect(workingDirectory directory: String, besides scratch: String) {
        let depth = PathText.parts(scratch).count
        let parts = PathText.parts(directory)
        let path =
            directory.isWithin(scratch)
            ? parts.dropFirst(depth).joined(separator: "/")
            : [String](repeating: "..", count: depth).joined(separator: "/") + directory
        kept.withLock { $0.path = path }
    }

    /// - Parameter directory: the scratch directory, as a descriptor that only refers to it. The program does not run yet,
    ///   or has run for a moment.
    func keep(_ directory: consuming Descriptor) {
        var given: Descriptor? = consume directory
        kept.withLock { kept in
            guard let scratch = given.take() else { return }
            if let path = kept.path { kept.watch = Self.watch(path, from: scratch) }
            kept.scratch = consume scratch
        }
    }

    /// The scratch directory, as a descriptor that only refers to it (`O_PATH`); nil if the launch did not get that far.
    package func take() -> Descriptor? { kept.withLock { $0.scratch.take() } }

    /// Whether a program listed the working directory that the launch made. Without a watch, which each user has only some
    /// of, this is not known.
    package var wasWorkingDirectoryListed: Bool {
        kept.withLock { kept in
            switch kept.watch {
            case .none: return false
            case .some(let watch):
                var event = inotify_event()
                // SAFETY: the call writes at most the structure's size. An event without a name is exactly as large.
                // After the sandbox, the kernel also tells of the end of the file system.
                let count = unsafe read(watch.number, &event, MemoryLayout<inotify_event>.size)
                return count > 0 && event.mask & UInt32(IN_ACCESS) != 0
            }
        }
    }

    /// The mounts of the sandbox are still there, so the path leads from one to the next. A time of access would not tell
    /// the same, because the kernel writes none in a mount that is only read.
    private static func watch(_ path: String, from scratch: borrowing Descriptor) -> Descriptor? {
        guard let directory = try? scratch.open(withoutLinks: path, Descriptor.pathOnly | O_DIRECTORY) else {
            return nil
        }
        let queue = inotify_init1(O_NONBLOCK | O_CLOEXEC)
        guard queue >= 0 else { return nil }
        let watch = Descriptor(owning: queue)
        let added = unsafe inotify_add_watch(
            watch.number, "/proc/self/fd/\(directory.number)", UInt32(IN_ACCESS) | UInt32(IN_ONESHOT))
        guard added >= 0 else { return nil }
        return watch
    }
}
