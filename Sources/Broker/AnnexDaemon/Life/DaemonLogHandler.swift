internal import AnnexLinux
internal import Glibc
package import Logging

/// The log of `annexd`: one line for each event, followed by its metadata. For systemd's journal the line begins with
/// the level as a number, and without the time, which the journal adds.
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
        // Escaping keeps the entry on one line, whatever its values are.
        let line = Escaped(escapedBefore: ([label + ":", "\(event.message)"] + words).joined(separator: " "))
        writer.add("\(isForJournal ? Self.priority(event.level) : "\(Self.time()) \(event.level) ")\(line)")
    }

    /// A value may come from an untrusted client. It is put in quotes, and quotes in it are doubled, so that it cannot
    /// pass for another key and value.
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
