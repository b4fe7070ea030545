internal import AnnexLinux
internal import Glibc

/// Reads files of `/proc/PID`. The kernel writes these files, but a hostile process may have chosen parts of their
/// contents.
enum ProcessText {
    /// The first bytes of a file, at most `cap`; nil if the file cannot be read.
    static func read(_ path: String, atMost cap: Int = 1 << 14) -> [UInt8]? {
        guard let file = try? Descriptor.open(path, O_RDONLY | O_NOFOLLOW) else { return nil }
        var bytes: [UInt8] = []
        while bytes.count < cap {
            guard let part = try? file.readSome(atMost: min(cap - bytes.count, 1 << 16)) else { return nil }
            if part.isEmpty { break }
            bytes += part
        }
        return bytes
    }

    /// The target of a link in `/proc/PID`, as the kernel writes it; nil if the target has no path.
    static func link(_ path: String) -> [UInt8]? {
        var room = [CChar](repeating: 0, count: Int(PATH_MAX))
        // SAFETY: readlink writes at most the array's size, and no NUL behind the text.
        let count = unsafe readlink(path, &room, room.count)
        guard count > 0, count < room.count else { return nil }
        let bytes = room.prefix(count).map { UInt8(bitPattern: $0) }
        return bytes.first == UInt8(ascii: "/") ? bytes : nil
    }
}

/// The fields of `/proc/PID/status` that are used for a thread.
package struct ProcessStatus: Sendable, Hashable {
    /// The process that the thread belongs to, in the reader's pid namespace.
    package let process: UInt32
    /// The parent of this process; nil if the kernel does not state it.
    package let parent: UInt32?
    /// Whether an unblocked signal is pending for the thread.
    package let hasPendingSignal: Bool
    /// The real user of the process, in the reader's numbers; nil if the kernel does not state it.
    package let user: UInt32?
    /// How many nested process namespaces the thread is in, counted inwards from the namespace of this `/proc`. 1 means
    /// only that namespace.
    package let namespaces: Int
    /// The thread's number in its own process namespace; nil if the kernel does not state it.
    package let innermost: UInt32?

    /// Parses the file; nil if the file names no process. The first line holds the thread's name, which the process
    /// chose, so this line is skipped. The kernel escapes a newline in the name. A key counts only at the beginning of
    /// a line. If several lines begin with the same key, only the first line counts.
    package static func read(_ bytes: [UInt8]) -> ProcessStatus? {
        let lines = bytes.prefix(1 << 16).split(separator: UInt8(ascii: "\n"), maxSplits: 128).dropFirst()
        guard let process = value(of: "Tgid", in: lines).flatMap(NumberText.decimal).flatMap({ UInt32(exactly: $0) })
        else { return nil }
        let sets = ["SigPnd", "ShdPnd", "SigBlk"].map { value(of: $0, in: lines).flatMap(NumberText.hexadecimal) ?? 0 }
        let numbers = words(of: "NSpid", in: lines)
        return ProcessStatus(
            process: process,
            parent: value(of: "PPid", in: lines).flatMap(NumberText.decimal).flatMap { UInt32(exactly: $0) },
            hasPendingSignal: (sets[0] | sets[1]) & ~sets[2] != 0,
            user: words(of: "Uid", in: lines).first.flatMap(NumberText.decimal).flatMap { UInt32(exactly: $0) },
            namespaces: numbers.count,
            innermost: numbers.last.flatMap(NumberText.decimal).flatMap { UInt32(exactly: $0) })
    }

    /// Whether both threads have the same user and are in equally many nested process namespaces. If the kernel does
    /// not state a fact, the fact counts as equal.
    package func mayShareNamespaces(with other: ProcessStatus) -> Bool {
        (user == nil || other.user == nil || user == other.user)
            && (namespaces == 0 || other.namespaces == 0 || namespaces == other.namespaces)
    }

    private static func words(of key: String, in lines: ArraySlice<ArraySlice<UInt8>>) -> [ArraySlice<UInt8>] {
        value(of: key, in: lines)?.split(separator: UInt8(ascii: "\t")) ?? []
    }

    private static func value(
        of key: String, in lines: ArraySlice<ArraySlice<UInt8>>
    ) -> ArraySlice<UInt8>? {
        let start = Array("\(key):\t".utf8)
        return lines.first { $0.starts(with: start) }?.dropFirst(start.count)
    }
}

/// One mapping of a process, as `/proc/PID/maps` shows it. The process chooses addresses and names.
package struct MemoryArea: Sendable, Hashable {
    package let start: UInt64
    /// The first address after the mapping.
    package let end: UInt64
    package let isExecutable: Bool
    /// The offset in the mapped file at which the mapping begins.
    package let offset: UInt64
    /// The inode of the mapped file; 0 if the mapping has no file.
    package let inode: UInt64
    /// The path of the mapped file, or the kernel's name for the mapping. These bytes are untrusted.
    package let name: [UInt8]

    /// The most mappings that are read. A process usually has tens of them. Further mappings are ignored.
    package static let most = 4_096

    package func contains(_ address: UInt64) -> Bool { address >= start && address < end }

    /// Parses the text of a `maps` file. Lines in another form are skipped.
    package static func read(_ bytes: [UInt8]) -> [MemoryArea] {
        bytes.split(separator: UInt8(ascii: "\n"), maxSplits: most).prefix(most).compactMap { MemoryArea(line: $0) }
    }

    // Parses one line, for example: 7f00-7f10 r-xp 00001000 08:01 1234 /usr/lib/libc.so.6
    private init?(line: ArraySlice<UInt8>) {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5, omittingEmptySubsequences: true)
        guard words.count >= 5 else { return nil }
        let ends = words[0].split(separator: UInt8(ascii: "-"))
        guard ends.count == 2, let start = NumberText.hexadecimal(ends[0]), let end = NumberText.hexadecimal(ends[1]),
            start < end, let offset = NumberText.hexadecimal(words[2]), let inode = NumberText.decimal(words[4])
        else { return nil }
        self.start = start
        self.end = end
        self.offset = offset
        self.inode = inode
        isExecutable = words[1].dropFirst(2).first == UInt8(ascii: "x")
        name = words.count > 5 ? Array(words[5].drop { $0 == UInt8(ascii: " ") }) : []
    }
}
