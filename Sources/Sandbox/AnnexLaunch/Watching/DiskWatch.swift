package import AnnexLinux
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// Watches the size of a program's directory on the host. The kernel has no limit for directories, so this class checks
/// five times a second, and the report says `watched`. The kernel does limit single files (`RLIMIT_FSIZE`).
package final class DiskWatch: Watched {
    package static let interval = Duration.milliseconds(200)

    private let directory: Descriptor
    private let path: String
    private let name: String
    private let process: @Sendable () -> Int32?
    private let size: UInt64
    private let inodes: UInt64
    private let exceeded: @Sendable (String) -> Void
    /// The number of successive checks that this process could not finish.
    /// SYNC: relaxed, because checks run one after another.
    private let failures = Atomic<Int>(0)

    /// - Parameters:
    ///   - path: the directory's path inside the sandbox.
    ///   - name: the name of the directory in messages.
    ///   - process: the program's number on the host; nil while the program has no number yet.
    ///   - exceeded: called at most once, on the watch thread.
    package init(
        of directory: consuming Descriptor, at path: String, named name: String = DirectoryUse.privateName,
        in process: @escaping @Sendable () -> Int32?, size: UInt64,
        inodes: UInt64, exceeded: @escaping @Sendable (String) -> Void
    ) {
        self.directory = directory
        self.path = path
        self.name = name
        self.process = process
        self.size = size
        self.inodes = inodes
        self.exceeded = exceeded
    }

    package func check() -> Bool {
        let use = DirectoryUse(
            of: directory, named: name, besides: removed() ?? NamelessFiles(), size: size, inodes: inodes)
        guard let excess = use.excess ?? patience(with: use.unmeasured) else { return true }
        exceeded(excess)
        return false
    }

    /// The reason to end the watched program, if too many successive checks failed because this process lacked a
    /// resource.
    private func patience(with unmeasured: String?) -> String? {
        guard let unmeasured else {
            failures.store(0, ordering: .relaxed)
            return nil
        }
        return failures.add(1, ordering: .relaxed).newValue < Sight.patienceWithHost ? nil : unmeasured
    }

    /// The removed files that still use space; nil if the sandbox's processes cannot be examined. If this process
    /// lacks descriptors for that examination, it cannot read the directory either, so the whole check fails.
    private func removed() -> NamelessFiles? {
        process().flatMap { process in
            try? NamelessFiles.removed(at: path, of: ProcessTree.members(of: process))
        }
    }
}

/// The contents of a directory. They are counted only until they exceed the limits, because a program chose their
/// number and names.
package struct DirectoryUse {
    /// The greatest depth that is counted. Deeper contents exceed the limits.
    private static let deepest = 64

    package static let privateName = "its private directory"

    private let name: String
    private let size: UInt64
    private let inodes: UInt64
    /// The bytes that the contents use on the disk, as far as they were counted.
    package private(set) var bytes: UInt64
    package private(set) var files: UInt64
    /// Whether a directory in the contents cannot be read.
    private var isClosed = false
    /// The errno of a failure that happened because this process lacked a resource, such as descriptors. Without this
    /// resource, the process could not read a part of the directory.
    private var lack: Int32?
    /// Whether the contents exceed what can be counted. This is a separate flag, because a special value of `files` or
    /// `bytes` would change with the next addition.
    private var isTooMuch = false
    private var isTooDeep = false
    /// Whether another file system is mounted in the directory. The server of that file system may never answer, so its
    /// contents are not examined.
    private var hasMount = false

    /// Counts the contents of a directory that no program uses at the moment.
    package init(of directory: borrowing Descriptor, size: UInt64, inodes: UInt64) {
        self.init(of: directory, named: Self.privateName, besides: NamelessFiles(), size: size, inodes: inodes)
    }

    /// - Parameter removed: files of the directory that were removed but still use space.
    init(
        of directory: borrowing Descriptor, named name: String, besides removed: NamelessFiles, size: UInt64,
        inodes: UInt64
    ) {
        self.name = name
        self.size = size
        self.inodes = inodes
        bytes = removed.bytes
        files = removed.count
        do throws(SystemError) {
            try count(directory, depth: 0)
        } catch {
            record(error.errno)
        }
    }

    /// A message that says which limit is exceeded; nil if the directory is within its limits.
    package var excess: String? {
        if isClosed {
            return
                "the contents of \(name) cannot be counted: the program made a directory in it unreadable"
        }
        if hasMount { return "a file system that is mounted in \(name), and cannot be counted" }
        if bytes > size { return "\(bytes) bytes in \(name); \(size) are allowed" }
        if isTooDeep { return "folders in \(name) that are nested more than \(Self.deepest) deep" }
        return isFull ? "more than \(inodes) files in \(name)" : nil
    }

    /// Why the contents could not be counted, if the watched program did not cause the failure; nil if they were
    /// counted.
    package var unmeasured: String? {
        lack.map { "\(name) could not be measured (\(Errno.name($0)) (\(Errno.text($0))))" }
    }

    /// Whether the result is certain already, so that counting can stop.
    private var isFull: Bool { isTooMuch || isTooDeep || hasMount || files > inodes || bytes > size }

    /// Records an error. Files that were removed or replaced meanwhile are left to the next check. A lack of
    /// resources is noted in `lack`. Any other error may come from the program's attempt to hide files.
    private mutating func record(_ errno: Int32) {
        switch errno {
        // The error means that a directory holds more names than the limit.
        case EFBIG: isTooMuch = true
        case ENOENT, ENOTDIR, ELOOP, ESTALE: break
        case EMFILE, ENFILE, ENOMEM: lack = errno
        default: isClosed = true
        }
    }

    /// Counts a directory's contents. The count never leaves the held directory.
    private mutating func count(_ directory: borrowing Descriptor, depth: Int) throws(SystemError) {
        guard depth < Self.deepest else {
            isTooDeep = true
            return
        }
        let room = Int(clamping: inodes - min(files, inodes))
        let listed = try Descriptor.directory("/proc/self/fd/\(directory.number)")
        for entry in try listed.entries(atMost: room < .max ? room + 1 : room) {
            count(entry.name, in: listed, depth: depth)
            guard !isFull else { return }
        }
    }

    /// - Parameter name: nil if the name is not valid text, so that the entry cannot be examined. The directory then
    ///   counts as too full.
    private mutating func count(_ name: String?, in listed: borrowing Descriptor, depth: Int) {
        files = files.addingClamped(1)
        guard let name else {
            isTooMuch = true
            return
        }
        var found = annex_known_file()
        // SAFETY: the call fills the structure that it is given and keeps nothing.
        let result = unsafe annex_known_entry(listed.number, name, &found)
        guard result == 0 else { return record(-result) }
        hasMount = hasMount || found.is_mounted != 0
        bytes = bytes.addingClamped(UInt64(bytesOfBlocks: found.blocks))
        guard found.is_directory != 0, !isFull else { return }
        do throws(SystemError) {
            try count(listed.openBeneath(name, O_RDONLY | O_DIRECTORY), depth: depth + 1)
        } catch {
            record(error.errno)
        }
    }
}
