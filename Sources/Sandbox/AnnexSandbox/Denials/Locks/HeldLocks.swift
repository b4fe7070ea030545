internal import AnnexLinux
internal import Glibc

/// The byte range locks that the processes of one pid namespace hold, by the kernel's list of all.
enum HeldLocks {
    /// What is read of the list at most; a host with more locks than that lets nobody count.
    private static let most = 32 << 20

    /// - Parameter thread: one of the namespace's, by its number here, while it cannot end.
    /// - Returns: nil where the list or the namespace cannot be read.
    static func count(besides thread: UInt32) -> Int? {
        guard case .known(let own) = Namespace(of: Int32(bitPattern: thread)), let owners = owners() else { return nil }
        var sum = 0
        var ended: [Int32] = []
        for owner in owners {
            switch Namespace(of: owner.key) {
            case .known(own): sum += owner.value
            case .known: break
            case .closed: if mayBelong(owner.key, to: thread) { sum += owner.value }
            case .ended: ended.append(owner.key)
            }
        }
        guard !ended.isEmpty else { return sum }
        // Their locks have gone with them, but where another process has the same descriptors.
        guard let later = self.owners() else { return nil }
        return ended.reduce(sum) { $0 + (later[$1] ?? 0) }
    }

    /// Whether a process whose namespace the kernel does not show may be one of the sandbox. A program that may be
    /// executed but not read has such processes. Those of the host's own namespace and of other users are none.
    private static func mayBelong(_ process: Int32, to thread: UInt32) -> Bool {
        guard let own = ProcessText.read("/proc/\(thread)/status").flatMap(ProcessStatus.read),
            let other = ProcessText.read("/proc/\(process)/status").flatMap(ProcessStatus.read)
        else { return true }
        return other.mayShareNamespaces(with: own)
    }

    /// Every process that holds such locks, with their number.
    private static func owners() -> [Int32: Int]? {
        guard let file = try? Descriptor.open("/proc/locks", O_RDONLY) else { return nil }
        var owners: [Int32: Int] = [:]
        // The kernel gives a page at a time. What is locked between two pages puts lines into the next once more, and they
        // count again: equal lines may be locks of different owners in one process, and too few must not be found.
        var rest: [UInt8] = []
        var total = 0
        while total < most {
            guard let part = try? file.readSome(atMost: 1 << 16) else { return nil }
            if part.isEmpty { return owners }
            total += part.count
            rest += part
            let end = rest.lastIndex(of: UInt8(ascii: "\n")) ?? -1
            for line in rest[...end].split(separator: UInt8(ascii: "\n")) {
                guard let owner = owner(of: line) else { continue }
                owners[owner, default: 0] += 1
            }
            rest.removeSubrange(...end)
        }
        return nil
    }

    /// Whose lock a line of `/proc/locks` is about; nil for other kinds of locks, and for who waits for one.
    static func owner(of line: some Collection<UInt8>) -> Int32? {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
        guard words.count > 4, words[1].elementsEqual("POSIX".utf8) else { return nil }
        return NumberText.decimal(words[4]).flatMap { Int32(exactly: $0) }
    }

    /// The pid namespace of a process.
    private enum Namespace {
        case known(UInt64)
        case ended
        /// The kernel lets this process not look.
        case closed

        init(of process: Int32) {
            var status = stat()
            // SAFETY: the path outlives the call, which fills the struct and keeps nothing.
            if unsafe stat("/proc/\(process)/ns/pid", &status) == 0 {
                self = .known(UInt64(status.st_ino))
            } else {
                self = errno == ENOENT || errno == ESRCH ? .ended : .closed
            }
        }
    }
}
