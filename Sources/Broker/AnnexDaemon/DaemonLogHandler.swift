internal import AnnexLinux
internal import Glibc
package import Logging
internal import Synchronization

/// The log of `annexd`. Each event makes one line: the event's message, and then its metadata. For systemd's journal,
/// the line begins with the level as a number. Such a line contains no time, because the journal adds the time.
package struct DaemonLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    private let label: String
    private let writer: LogWriter
    private let isForJournal: Bool

    /// - Parameter isForJournal: whether systemd's journal reads the lines (`JOURNAL_STREAM`).
    package init(
        _ label: String, level: Logger.Level, to writer: LogWriter, isForJournal: Bool = getenv("JOURNAL_STREAM") != nil
    ) {
        self.label = label
        logLevel = level
        self.writer = writer
        self.isForJournal = isForJournal
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let words = all.sorted { $0.key < $1.key }.map { "\($0.key)=\(Self.quoted("\($0.value)"))" }
        // Escaping keeps the entry on one line, even if the values contain line breaks.
        let line = Escaped(escapedBefore: ([label + ":", "\(event.message)"] + words).joined(separator: " "))
        writer.add("\(isForJournal ? Self.priority(event.level) : "\(Self.time()) \(event.level) ")\(line)")
    }

    /// Puts a value in quotes, and doubles the quotes in it. The value may come from an untrusted client, and must not
    /// look like another key and value.
    private static func quoted(_ value: String) -> String {
        let text = Escaped(escapedBefore: value).description
        let needsQuotes = text.isEmpty || text.utf8.contains { " ='\"".utf8.contains($0) }
        return needsQuotes ? "'\(text.replacing("'", with: "''"))'" : text
    }

    /// The level's number in syslog.
    private static func priority(_ level: Logger.Level) -> String {
        switch level {
        case .trace, .debug: "<7>"
        case .info: "<6>"
        case .notice: "<5>"
        case .warning: "<4>"
        case .error: "<3>"
        case .critical: "<2>"
        }
    }

    private static func time() -> String { WallClock.now().text }
}

/// Writes the lines of a log to a descriptor. A thread writes the lines, and runs only while lines wait.
///
/// If the reader of the log is slow, or does not read at all, the callers of `add` are not blocked. A bounded number
/// of lines waits, and further lines are lost. Just before the next accepted line, the log states the number of lost
/// lines.
package final class LogWriter: Sendable {
    /// The most lines that may wait.
    static let mostWaiting = 2_048
    /// The longest line, in bytes.
    static let longestLine = 8 << 10

    private let descriptor: Int32
    private let lane = Lane("annex-log")
    /// The number of lines that were lost since the last accepted line.
    /// SYNC: relaxed: this is only a count, and no other memory depends on it.
    private let lost = Atomic<Int>(0)

    /// - Parameter descriptor: the descriptor, which must stay open as long as this writer is used.
    package init(to descriptor: Int32 = STDERR_FILENO) {
        self.descriptor = descriptor
    }

    /// Queues a line, and returns at once.
    package func add(_ line: String) {
        guard lane.count < Self.mostWaiting else {
            lost.add(1, ordering: .relaxed)
            return
        }
        let bytes = Array(line.utf8.prefix(Self.longestLine))
        // The count of lost lines is taken here, not when the line is written. So lines that were accepted before the
        // loss come before the report of the loss.
        let missing = lost.exchange(0, ordering: .relaxed)
        lane.run { [self] in
            if missing > 0 { write(Array("annexd: \(missing) lines of this log are lost".utf8)) }
            write(bytes)
        }
    }

    /// Whether every accepted line is written.
    var isIdle: Bool { lane.isIdle }

    /// Waits until all lines are written, but no longer than `limit`.
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
