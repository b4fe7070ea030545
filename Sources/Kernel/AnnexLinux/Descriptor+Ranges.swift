internal import CAnnexLinux
internal import Glibc

/// A range of a file that can be locked. The range may lie behind the end of the file.
package struct FileRange: Sendable, Hashable {
    package let start: UInt64
    /// The length in bytes, at least 1.
    package let length: UInt64

    package init(start: UInt64, length: UInt64) {
        self.start = start
        self.length = length
    }

    package static func byte(_ offset: UInt64) -> FileRange { FileRange(start: offset, length: 1) }

    package var end: UInt64 { start + length }

    package func overlaps(_ other: FileRange) -> Bool { start < other.end && other.start < end }
}

/// Locks on ranges. These locks belong to the open file description (fcntl(2), F_OFD_SETLK), and end when the last
/// duplicate of the descriptor is closed.
extension Descriptor {
    /// Locks a range, or changes its lock. The call does not wait.
    /// - Returns: false if another open file description holds a lock that conflicts with this lock.
    package func lock(_ range: FileRange, as lock: Lock) throws(SystemError) -> Bool {
        let kind = lock == .shared ? ANNEX_RANGE_SHARED : ANNEX_RANGE_EXCLUSIVE
        let result = annex_lock_range(number, range.start, range.length, Int32(kind.rawValue))
        switch -result {
        case 0: return true
        case EAGAIN, EACCES: return false
        default: throw SystemError("fcntl(F_OFD_SETLK)", errno: -result)
        }
    }

    /// Unlocks a range. Parts of the range may be unlocked already. The call fails only if the kernel lacks memory and
    /// the range is the middle of a larger lock.
    package func unlock(_ range: FileRange) {
        _ = annex_lock_range(number, range.start, range.length, Int32(ANNEX_RANGE_FREE.rawValue))
    }

    /// The locks of this open file description on its file.
    package func heldRanges() throws(SystemError) -> [HeldRange] {
        try HeldRange.all(of: "/proc/self/fdinfo/\(number)")
    }
}

/// A locked range. The kernel lists the locks of each process in `/proc`. Another process can read this list if it may
/// examine the listed process. A line of the list is `lock: 1: OFDLCK ADVISORY READ -1 00:2f:1234 0 EOF`. A lock of the
/// kind `OFDLCK` belongs to an open file description. A lock of the kind `POSIX` belongs to a process, and also
/// conflicts with locks of the kind `OFDLCK`.
package struct HeldRange: Sendable, Hashable {
    /// The maximum size of a list of locks. A process can hold many locks through one descriptor. If the list is
    /// longer, reading it fails.
    private static let mostBytes = 16 << 20

    package let range: FileRange
    package let lock: Descriptor.Lock

    /// The locks of one open file description.
    /// - Parameter path: `/proc/PROCESS/fdinfo/NUMBER`.
    fileprivate static func all(of path: String) throws(SystemError) -> [HeldRange] {
        let bytes = try Descriptor.open(path, O_RDONLY).readAll(atMost: mostBytes)
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { HeldRange($0) }
    }

    private init?(_ line: ArraySlice<UInt8>) {
        guard line.starts(with: "lock:".utf8) else { return nil }
        let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 9, ["OFDLCK", "POSIX"].contains(words[2]), let start = UInt64(words[7]) else { return nil }
        let last = words[8] == "EOF" ? UInt64(Int64.max) - 1 : UInt64(words[8])
        guard let last, last >= start, last < UInt64(Int64.max) else { return nil }
        range = FileRange(start: start, length: last - start + 1)
        lock = words[4] == "WRITE" ? .exclusive : .shared
    }
}
