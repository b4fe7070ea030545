internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// Watches what a program keeps in a directory of the host's: no kernel bounds a directory, so that it is looked at five
/// times a second, and the report says `watched`. One file is bounded by the kernel (`RLIMIT_FSIZE`).
final class DiskWatch: Sendable {
    static let interval = Duration.milliseconds(200)
    /// Deeper than this nobody looks; what is that deep counts as too much.
    private static let deepest = 64

    private let directory: Descriptor
    private let size: UInt64
    private let inodes: UInt64
    private let loop: EventLoop
    private let exceeded: @Sendable (String) -> Void
    private let timer = Mutex<EventLoop.Timer?>(nil)

    init(
        of directory: consuming Descriptor, size: UInt64, inodes: UInt64, on loop: EventLoop,
        exceeded: @escaping @Sendable (String) -> Void
    ) {
        self.directory = directory
        self.size = size
        self.inodes = inodes
        self.loop = loop
        self.exceeded = exceeded
        again()
    }

    deinit {
        timer.withLock { $0.take() }?.cancel()
    }

    private func again() {
        let next = loop.schedule(after: Self.interval) { [weak self] in self?.look() }
        timer.withLock { $0 = next }
    }

    private func look() {
        var use = Use()
        do throws(SystemError) {
            try count(directory, depth: 0, into: &use)
        } catch {
            // More names than may be there.
            if error.errno == EFBIG { use.files = .max } else { use.note(error.errno) }
        }
        if use.isClosed {
            exceeded("what its private directory holds cannot be counted: the program closed a directory in it")
        } else if use.bytes > size {
            exceeded("\(use.bytes) bytes in its private directory; \(size) are allowed")
        } else if use.files > inodes {
            exceeded("more than \(inodes) files in its private directory")
        } else {
            again()
        }
    }

    private struct Use {
        var bytes: UInt64 = 0
        var files: UInt64 = 0
        /// Whether something cannot be looked at.
        var isClosed = false

        /// What was removed or replaced meanwhile is seen by the next look. Whatever else keeps us out, the program may
        /// have made to hide behind.
        mutating func note(_ errno: Int32) {
            if ![ENOENT, ENOTDIR, ELOOP, ESTALE].contains(errno) { isClosed = true }
        }
    }

    /// Beneath the held directory only, and no further than its bounds: the program chooses how much there is.
    private func count(_ directory: borrowing Descriptor, depth: Int, into use: inout Use) throws(SystemError) {
        guard depth < Self.deepest else {
            use.files = .max
            return
        }
        let room = Int(clamping: inodes - min(use.files, inodes)) + 1
        let listed = try Descriptor.directory("/proc/self/fd/\(directory.number)")
        for entry in try listed.entries(atMost: max(room, 1)) {
            use.files += 1
            // A name that is no text cannot be looked behind: what could be there counts as too much.
            guard let name = entry.name else {
                use.files = .max
                return
            }
            guard use.files <= inodes, use.bytes <= size else { return }
            var status = stat()
            // SAFETY: the call fills the structure that it is given and keeps nothing.
            guard unsafe fstatat(listed.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                use.note(errno)
                continue
            }
            use.bytes += UInt64(max(status.st_blocks, 0)) * 512
            guard status.st_mode & S_IFMT == S_IFDIR else { continue }
            do throws(SystemError) {
                try count(listed.openBeneath(name, O_RDONLY | O_DIRECTORY), depth: depth + 1, into: &use)
            } catch {
                guard error.errno != EFBIG else { throw error }
                use.note(error.errno)
            }
        }
    }
}
