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
