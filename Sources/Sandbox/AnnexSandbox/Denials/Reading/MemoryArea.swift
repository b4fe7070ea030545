/// One mapping of a process, as `/proc/PID/maps` shows it. The process chooses addresses and names.
package struct MemoryArea: Sendable, Hashable {
    package let start: UInt64
    /// The first address behind it.
    package let end: UInt64
    package let isExecutable: Bool
    /// Where in its file it begins.
    package let offset: UInt64
    /// Its file's inode; 0: none.
    package let inode: UInt64
    /// Its file's path or the kernel's name for it, as bytes of unknown make.
    package let name: [UInt8]

    /// A process has tens of them; one that makes more has the rest left out.
    package static let most = 4_096

    package func contains(_ address: UInt64) -> Bool { address >= start && address < end }

    /// Reads a whole file of them. Lines that the kernel would not write are left out.
    package static func read(_ bytes: [UInt8]) -> [MemoryArea] {
        bytes.split(separator: UInt8(ascii: "\n"), maxSplits: most).prefix(most).compactMap { MemoryArea(line: $0) }
    }

    // 7f00-7f10 r-xp 00001000 08:01 1234       /usr/lib/libc.so.6
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
