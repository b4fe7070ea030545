internal import AnnexLinux
internal import Glibc

/// Reads files of `/proc/PID`: the kernel writes them, but a hostile process chose parts of their contents.
enum ProcessText {
    /// The first bytes of a file; nil if it cannot be read. A longer file is cut.
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
        // SAFETY: readlink writes at most the array's size and does not terminate.
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
    /// Whether an unblocked signal is pending for the thread.
    package let hasPendingSignal: Bool
    /// The real user, in the reader's numbers; nil if the kernel does not state it.
    package let user: UInt32?
    /// How many process namespaces it is in, from the one of this `/proc` inwards: 1 is the outermost.
    package let namespaces: Int

    /// Parses the file; nil if it names no process. The first line holds the thread's name, which the process chose,
    /// and is skipped. The kernel escapes a newline in it. A key counts only at the beginning of a line, and only its
    /// first line.
    package static func read(_ bytes: [UInt8]) -> ProcessStatus? {
        let lines = bytes.prefix(1 << 16).split(separator: UInt8(ascii: "\n"), maxSplits: 128).dropFirst()
        guard let process = value(of: "Tgid", in: lines).flatMap(NumberText.decimal).flatMap({ UInt32(exactly: $0) })
        else { return nil }
        let sets = ["SigPnd", "ShdPnd", "SigBlk"].map { value(of: $0, in: lines).flatMap(NumberText.hexadecimal) ?? 0 }
        return ProcessStatus(
            process: process, hasPendingSignal: (sets[0] | sets[1]) & ~sets[2] != 0,
            user: words(of: "Uid", in: lines).first.flatMap(NumberText.decimal).flatMap { UInt32(exactly: $0) },
            namespaces: words(of: "NSpid", in: lines).count)
    }

    /// Whether both have the same user and are in equally many nested process namespaces. A fact that the kernel does
    /// not state counts as equal.
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
    /// The offset in its file at which it begins.
    package let offset: UInt64
    /// The inode of its file; 0 if it has none.
    package let inode: UInt64
    /// The path of its file, or the kernel's name for it; untrusted bytes.
    package let name: [UInt8]

    /// A bound on mappings. A process usually has tens of them; further ones are ignored.
    package static let most = 4_096

    package func contains(_ address: UInt64) -> Bool { address >= start && address < end }

    /// Parses the text of a `maps` file. Lines of any other form are skipped.
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
