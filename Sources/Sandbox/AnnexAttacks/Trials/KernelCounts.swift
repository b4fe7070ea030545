internal import AnnexLaunch
internal import AnnexLinux
internal import Glibc

/// Reads the kernel's counts of its objects on the host.
enum KernelCounts {
    /// The number of locks of every kind on one file; nil if it cannot be read.
    static func locks(on path: String) -> UInt64? {
        guard let file = try? Descriptor.open(path, O_RDONLY | O_CLOEXEC), let status = try? file.status(),
            let bytes = read("/proc/locks", atMost: 16 << 20)
        else { return nil }
        // 1: POSIX  ADVISORY  READ 1234 fe:00:5678 0 EOF
        let places = places(of: Array(":\(status.inode) ".utf8), in: bytes)
        // The kernel returns its list page by page. If a process sets a lock between two pages, a line that was already
        // read moves to the next page. The line is then read again, with another number. So lines are compared without
        // their numbers, and a repeated line counts once. No try sets two locks with equal lines.
        return UInt64(Set(places.map { unnumberedLine(around: $0, of: bytes) }).count)
    }

    /// A line without the number at its beginning.
    private static func unnumberedLine(around place: Int, of bytes: [UInt8]) -> ArraySlice<UInt8> {
        let newline = UInt8(ascii: "\n")
        let start = bytes[..<place].lastIndex(of: newline).map { $0 + 1 } ?? 0
        let end = bytes[place...].firstIndex(of: newline) ?? bytes.count
        return bytes[start..<end].drop { $0 != UInt8(ascii: " ") }
    }

    /// - Parameter part: the text to find. It should begin with a byte that is rare in `bytes`.
    private static func places(of part: [UInt8], in bytes: [UInt8]) -> [Int] {
        unsafe bytes.withUnsafeBytes { text in
            guard let first = part.first, let start = text.baseAddress else { return [] }
            var place = unsafe start
            let end = unsafe start + text.count
            var places: [Int] = []
            // SAFETY: all bytes that are searched and compared lie between `place` and the end of the text.
            while unsafe place < end, let found = unsafe memchr(place, Int32(first), end - place) {
                let isThere = unsafe end - UnsafeRawPointer(found) >= part.count && memcmp(found, part, part.count) == 0
                if isThere { unsafe places.append(UnsafeRawPointer(found) - start) }
                unsafe place = UnsafeRawPointer(found) + 1
            }
            return places
        }
    }

    /// The sum of a size in the status files of a process and of all its descendants, in KiB.
    static func kibibytes(_ key: String, of process: Int32) -> UInt64? {
        guard process > 0 else { return 0 }
        guard let members = try? ProcessTree.members(of: process) else { return nil }
        let values = members.compactMap { member in
            read("/proc/\(member)/status", atMost: 1 << 16).flatMap { value(key, in: $0) }
        }
        return values.reduce(0, +)
    }

    /// The machine's own counts. Counts that this machine does not have are left out.
    static func machine() -> [Measured.MachineCount] {
        let memory = read("/proc/meminfo", atMost: 1 << 16) ?? []
        var counts = ["SUnreclaim", "Slab", "PageTables", "HugePages_Free", "HugePages_Rsvd"].compactMap { name in
            value(name, in: memory).map { Measured.MachineCount(name: name, values: [$0]) }
        }
        let files = read("/proc/sys/fs/file-nr", atMost: 256)?.split(separator: UInt8(ascii: "\t")).first
        if let files, let count = UInt64(String(decoding: files, as: UTF8.self)) {
            counts.append(Measured.MachineCount(name: "file-nr", values: [count]))
        }
        return counts
    }

    static var hasSwap: Bool { (value("SwapTotal", in: read("/proc/meminfo", atMost: 1 << 16) ?? []) ?? 0) > 0 }

    /// The value in a line `Key:   123 kB`.
    private static func value(_ key: String, in bytes: [UInt8]) -> UInt64? {
        let beginning = Array("\(key):".utf8)
        for line in bytes.split(separator: UInt8(ascii: "\n")) where line.starts(with: beginning) {
            let words = line.dropFirst(beginning.count).split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            return words.first.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
        }
        return nil
    }

    private static func read(_ path: String, atMost most: Int) -> [UInt8]? {
        guard let file = try? Descriptor.open(path, O_RDONLY) else { return nil }
        return try? file.readAll(atMost: most)
    }
}
