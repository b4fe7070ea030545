internal import AnnexLinux
internal import Glibc

/// What lies in a directory, counted no further than its bounds: a program chose how much there is, and how it is called.
struct DirectoryUse {
    /// Deeper than this nobody looks; what is that deep counts as too much.
    private static let deepest = 64

    private let size: UInt64
    private let inodes: UInt64
    private var bytes: UInt64
    private var files: UInt64
    /// Whether something cannot be looked at.
    private var isClosed = false
    /// Whether there is more than anybody counts. No number stands for it: numbers go on being added to.
    private var isTooMuch = false

    /// - Parameter removed: what has no name there any more, and still takes room.
    init(
        of directory: borrowing Descriptor, besides removed: NamelessFiles = NamelessFiles(), size: UInt64,
        inodes: UInt64
    ) {
        self.size = size
        self.inodes = inodes
        bytes = removed.bytes
        files = removed.count
        do throws(SystemError) {
            try count(directory, depth: 0)
        } catch {
            note(error.errno)
        }
    }

    /// What is wrong with it, in words; nil where it is within its bounds.
    var excess: String? {
        if isClosed {
            return "what its private directory holds cannot be counted: the program closed a directory in it"
        }
        if bytes > size { return "\(bytes) bytes in its private directory; \(size) are allowed" }
        return isFull ? "more than \(inodes) files in its private directory" : nil
    }

    /// Whether one file more or less changes nothing.
    private var isFull: Bool { isTooMuch || files > inodes || bytes > size }

    /// What was removed or replaced meanwhile is seen by the next look. Whatever else keeps us out, the program may
    /// have made to hide behind.
    private mutating func note(_ errno: Int32) {
        switch errno {
        // More names than may be there.
        case EFBIG: isTooMuch = true
        case ENOENT, ENOTDIR, ELOOP, ESTALE: break
        default: isClosed = true
        }
    }

    /// Beneath the held directory only.
    private mutating func count(_ directory: borrowing Descriptor, depth: Int) throws(SystemError) {
        guard depth < Self.deepest else {
            isTooMuch = true
            return
        }
        let room = Int(clamping: inodes - min(files, inodes))
        let listed = try Descriptor.directory("/proc/self/fd/\(directory.number)")
        for entry in try listed.entries(atMost: room < .max ? room + 1 : room) {
            count(entry.name, in: listed, depth: depth)
            guard !isFull else { return }
        }
    }

    /// - Parameter name: nil where it is no text, so that nobody can look behind it: what could be there counts as too
    ///   much.
    private mutating func count(_ name: String?, in listed: borrowing Descriptor, depth: Int) {
        files = files.addingClamped(1)
        guard let name else {
            isTooMuch = true
            return
        }
        var status = stat()
        // SAFETY: the call fills the structure that it is given and keeps nothing.
        guard unsafe fstatat(listed.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return note(errno) }
        bytes = bytes.addingClamped(UInt64(bytesOfBlocks: UInt64(max(status.st_blocks, 0))))
        guard status.st_mode & S_IFMT == S_IFDIR, !isFull else { return }
        do throws(SystemError) {
            try count(listed.openBeneath(name, O_RDONLY | O_DIRECTORY), depth: depth + 1)
        } catch {
            note(error.errno)
        }
    }
}
