internal import AnnexLinux
internal import Glibc

/// The byte range locks held by the processes of one pid namespace, from the kernel's list of all locks.
enum HeldLocks {
    /// The most bytes of the list that the broker reads. If the list of the host is longer, the broker cannot count
    /// locks.
    private static let most = 32 << 20

    /// Counts the locks held in one pid namespace.
    ///
    /// - Parameter thread: the number of a thread in the namespace, as this process sees it. The thread must not end
    ///   during the call.
    /// - Returns: nil if the list or the namespace cannot be read.
    static func count(besides thread: UInt32) -> Int? {
        guard case .known(let own) = Namespace(of: ProcNumber.listed(Int32(bitPattern: thread))), let owners = owners()
        else { return nil }
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
        // The locks of an ended process are gone too, unless another process shares its descriptors. So the list is
        // read again for the ended processes.
        guard let later = self.owners() else { return nil }
        return ended.reduce(sum) { $0 + (later[$1] ?? 0) }
    }

    /// Whether a process may belong to the sandbox although the kernel does not show its namespace. The kernel hides
    /// the namespace if the program's file may be executed but not read. Processes in the host's own namespace do not
    /// belong to the sandbox. Processes of other users do not belong to it either.
    private static func mayBelong(_ process: Int32, to thread: UInt32) -> Bool {
        guard let own = ProcessText.read("\(ProcNumber.folder(of: thread))/status").flatMap(ProcessStatus.read),
            let other = ProcessText.read("/proc/\(process)/status").flatMap(ProcessStatus.read)
        else { return true }
        return other.mayShareNamespaces(with: own)
    }

    /// Every process that holds byte range locks, with the number of its locks.
    private static func owners() -> [Int32: Int]? {
        guard let file = try? Descriptor.open("/proc/locks", O_RDONLY) else { return nil }
        var owners: [Int32: Int] = [:]
        // The kernel returns one page at a time. If a process takes locks between two pages, lines move to the next
        // page and are counted twice. If a process releases locks between two pages, lines move to the earlier page
        // and are missed. So a sandbox that takes and releases locks can help another sandbox to hold more locks than
        // it may. `most` still bounds the locks of all sandboxes together. Equal lines all count, because different
        // owners in one process may hold these locks.
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

    /// The process that a line of `/proc/locks` names; nil for other kinds of locks and for lines of waiting processes.
    static func owner(of line: some Collection<UInt8>) -> Int32? {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
        guard words.count > 4, words[1].elementsEqual("POSIX".utf8) else { return nil }
        return NumberText.decimal(words[4]).flatMap { Int32(exactly: $0) }
    }

    /// The pid namespace of a process.
    private enum Namespace {
        case known(UInt64)
        case ended
        /// The kernel does not let this process examine the other process.
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
