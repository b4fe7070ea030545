/// What `/proc/PID/status` says of a thread.
package struct ProcessStatus: Sendable, Hashable {
    /// The process that the thread belongs to, in the reader's numbers.
    package let process: UInt32

    /// The thread's own name comes first in the file, and the kernel escapes a new line in it; still only the first line
    /// of a key counts, and only at its line's beginning.
    package static func read(_ bytes: [UInt8]) -> ProcessStatus? {
        for line in bytes.prefix(1 << 16).split(separator: UInt8(ascii: "\n"), maxSplits: 128).dropFirst() {
            guard line.starts(with: Array("Tgid:\t".utf8)) else { continue }
            guard let number = NumberText.decimal(line.dropFirst(6)) else { return nil }
            return UInt32(exactly: number).map(ProcessStatus.init)
        }
        return nil
    }
}
