internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// Lines of a log on their way to a descriptor. A thread writes them, and runs only while there are lines.
///
/// A reader that reads slowly, or not at all, blocks no writer. A bounded number of lines waits; further lines are
/// lost, and the next line that is accepted reports their number before itself.
package final class LogWriter: Sendable {
    /// The most lines that may wait.
    static let mostWaiting = 2_048
    /// The longest line, in bytes.
    static let longestLine = 8 << 10

    private let descriptor: Int32
    private let lane = Lane("annex-log")
    /// Lines that were lost since the last accepted line.
    /// SYNC: relaxed: a count that orders nothing.
    private let lost = Atomic<Int>(0)

    /// - Parameter descriptor: stays open for as long as this is used.
    package init(to descriptor: Int32 = STDERR_FILENO) {
        self.descriptor = descriptor
    }

    /// Queues a line; returns at once.
    package func add(_ line: String) {
        guard lane.count < Self.mostWaiting else {
            lost.add(1, ordering: .relaxed)
            return
        }
        let bytes = Array(line.utf8.prefix(Self.longestLine))
        // The count is taken here, not when the line is written, so that lines accepted before the loss come before its
        // report.
        let missing = lost.exchange(0, ordering: .relaxed)
        lane.run { [self] in
            if missing > 0 { write(Array("annexd: \(missing) lines of this log are lost".utf8)) }
            write(bytes)
        }
    }

    /// Whether every accepted line is written.
    var isIdle: Bool { lane.isIdle }

    /// Waits until all lines are written, or until the time is over.
    package func finish(within limit: Duration) {
        let deadline = MonotonicClock.deadline(after: limit)
        while !isIdle, MonotonicClock.now() < deadline { MonotonicClock.pause() }
    }

    /// Writes a line. An error is ignored, because there is no other place to report it.
    private func write(_ bytes: [UInt8]) {
        let line = bytes + [UInt8(ascii: "\n")]
        var done = 0
        while done < line.count {
            let count = line[done...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EAGAIN || errno == EINTR {
                MonotonicClock.pause()
            } else if count <= 0 {
                return
            } else {
                done += count
            }
        }
    }
}
