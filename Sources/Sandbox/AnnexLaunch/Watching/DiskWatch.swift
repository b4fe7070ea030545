package import AnnexLinux
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// Watches the size of a directory on the host that programs write to. The kernel has no limit for directories, so this
/// class adds up the files, and the report says `watched`. The kernel does limit single files (`RLIMIT_FSIZE`).
///
/// The class looks at the directory five times a second, and also each time that the kernel's counts of written bytes
/// have grown by what the directory may still grow (`DiskAlarms`). So a program that writes fast is found before it has
/// written a quarter more than allowed.
package final class DiskWatch: Watched {
    package static let interval = Duration.milliseconds(200)

    private let directory: Descriptor
    /// Opens a second directory of the same file system, which no program reaches; nil if there is none.
    private let beside: (@Sendable () throws(SystemError) -> Descriptor)?
    private let path: String
    private let name: String
    private let processes: @Sendable () -> [Int32]
    private let size: UInt64
    private let inodes: UInt64
    private let exceeded: @Sendable (String) -> Void
    private let row = Lane.Row(of: .slow)
    /// Held during a look.
    private let looking = Mutex(Looks())

    private struct Looks {
        /// The number of successive looks that this process could not finish.
        var failures = 0
        /// The processor time of the last look, in nanoseconds.
        var duration: UInt64 = 0
        /// The number of the alarm; nil before it could be set.
        var alarm: UInt64?
    }

    /// What a look found.
    private struct Found {
        var excess: String?
        /// The next bounds of the alarm.
        var next: (number: UInt64, bounds: WriteBounds)?
    }

    /// The processor time of a look, in nanoseconds, from which it runs on the lane of slow work and delays no other
    /// alarm.
    private static let long: UInt64 = 2_000_000

    /// - Parameters:
    ///   - beside: opens a second directory, whose contents count too.
    ///   - path: the directory's path inside the sandboxes.
    ///   - name: the name of the directory in messages.
    ///   - processes: the numbers of the programs on the host, as far as the programs have numbers.
    ///   - exceeded: called after each look that finds too much, on a thread of the watches.
    package init(
        of directory: consuming Descriptor, and beside: (@Sendable () throws(SystemError) -> Descriptor)? = nil,
        at path: String, named name: String = DirectoryUse.privateName,
        in processes: @escaping @Sendable () -> [Int32], size: UInt64,
        inodes: UInt64, exceeded: @escaping @Sendable (String) -> Void
    ) {
        self.directory = directory
        self.beside = beside
        self.path = path
        self.name = name
        self.processes = processes
        self.size = size
        self.inodes = inodes
        self.exceeded = exceeded
        onLane { [self] in _ = look(ends: false) }
    }

    deinit {
        if let alarm = looking.withLock({ $0.alarm }) { DiskAlarms.shared.remove(alarm) }
    }

    /// Looks once. If another thread looks at this moment, its look counts.
    package func check() -> Bool { look(ends: true) }

    /// - Parameter ends: whether the caller learns of an excess. The first look only sets the alarm, so that a program
    ///   in a directory that is already too full lives until the first check, or until it adds a quarter of the limit.
    private func look(ends: Bool) -> Bool {
        let found = looking.withLockIfAvailable { measure(&$0, ends: ends) }
        guard let found else { return true }
        guard let excess = found.excess else {
            // Set after the lock is free, because the alarm may ring at once.
            if let (number, bounds) = found.next { DiskAlarms.shared.set(number, to: bounds) }
            return true
        }
        exceeded(excess)
        return false
    }

    private func measure(_ looks: inout Looks, ends: Bool) -> Found {
        if looks.alarm == nil { looks.alarm = try? alarm() }
        let begun = ThreadClock.now()
        // Read before the look, so that the next look also counts what is written during this look.
        let counts = try? WriteCounts(at: directory)
        var use = DirectoryUse(of: directory, named: name, besides: removed(), size: size, inodes: inodes)
        if let beside { use.add(beside) }
        looks.duration = ThreadClock.now().subtractingClamped(begun)
        let excess = use.excess ?? patience(with: use.unmeasured, after: &looks.failures)
        if ends, let excess { return Found(excess: excess) }
        guard let counts, let number = looks.alarm else { return Found() }
        let rest = looks.duration.multipliedClamped(by: WriteBounds.rest)
        let earliest = MonotonicClock.now().addingClamped(rest)
        return Found(next: (number, bounds(use, from: counts, earliest: earliest)))
    }

    /// Looks because of an alarm.
    private func ring() {
        let isLong = looking.withLockIfAvailable { $0.duration > Self.long } ?? false
        guard isLong else { return _ = check() }
        onLane { [self] in _ = check() }
    }

    /// Runs a look on the lane of slow work, or on this thread if the lane can have no thread.
    private func onLane(_ look: @escaping @Sendable () -> Void) {
        do throws(SystemError) {
            try row.schedule {
                // A look takes as long as the program's files make it. So this thread gets no lower nice value.
                _ = annex_shorten_turns(0)
                look()
            }
        } catch {
            look()
        }
    }

    private func alarm() throws(SystemError) -> UInt64 {
        let device = try directory.status().device
        return try DiskAlarms.shared.add(
            device: device, count: { [weak self] in self.flatMap { try? WriteCounts(at: $0.directory) } },
            ring: { [weak self] in self?.ring() })
    }

    /// The counts at which the directory may have reached its limits, and those at which it may exceed them by a
    /// quarter. Near the limits, the directory may also grow by half of this quarter until the next look.
    private func bounds(_ use: DirectoryUse, from counts: WriteCounts, earliest: UInt64) -> WriteBounds {
        let (bytes, files) = (Growth(to: size, from: use.bytes), Growth(to: inodes, from: use.files))
        return WriteBounds(
            start: counts,
            look: .init(
                leastFree: counts.space.bytes.subtractingClamped(bytes.look),
                mostFiles: counts.space.usedFiles.addingClamped(files.look),
                mostDirtied: counts.dirtied.addingClamped(bytes.look)),
            promise: .init(
                leastFree: counts.space.bytes.subtractingClamped(bytes.promise),
                mostFiles: counts.space.usedFiles.addingClamped(files.promise),
                mostDirtied: counts.dirtied.addingClamped(bytes.promise)),
            earliest: earliest)
    }

    /// The reason to end the watched program, if too many successive checks failed because this process lacked a
    /// resource.
    private func patience(with unmeasured: String?, after failures: inout Int) -> String? {
        failures = unmeasured == nil ? 0 : failures + 1
        return failures < Sight.patienceWithHost ? nil : unmeasured
    }

    /// The removed files that still use space. The processes of a sandbox that cannot be examined are left out. If this
    /// process lacks descriptors for that examination, it cannot read the directory either, so the whole check fails.
    private func removed() -> NamelessFiles {
        let sandboxes = processes().compactMap { try? ProcessTree.members(of: ProcNumber.listed($0)) }
        return (try? NamelessFiles.removed(at: path, of: sandboxes)) ?? NamelessFiles()
    }
}

/// How much a directory may grow.
private struct Growth {
    /// The growth after which a look is due.
    let look: UInt64
    /// The growth after which the directory exceeds its limit by a quarter.
    let promise: UInt64

    init(to limit: UInt64, from use: UInt64) {
        let room = limit.subtractingClamped(use)
        promise = room.addingClamped(limit / 4)
        look = use > limit ? promise : max(room, promise / 2)
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

    /// Counts the contents of a further directory.
    mutating func add(_ directory: () throws(SystemError) -> Descriptor) {
        guard !isFull else { return }
        do throws(SystemError) {
            try count(directory(), depth: 0)
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
