internal import AnnexLinux
internal import AnnexPolicy
internal import Logging

/// Writes one sandbox's denials to the program's log (swift-log, label `annex.sandbox`). It writes the first denial
/// of each kind, and the totals at the end. `LineBudget` limits the lines per second. Docs/Guide/Denials.md lists the
/// metadata keys.
struct DenialLog {
    static let label = "annex.sandbox"

    /// A logger that writes nothing. It is for a sandbox whose denials were caused on purpose.
    static var silent: Logger { Logger(label: label) { _ in SwiftLogNoOpLogHandler() } }

    private let logger: Logger
    private var budget: LineBudget

    init(
        sandbox: String, mode: DenialMode, logger: Logger = Logger(label: Self.label),
        at moment: UInt64 = MonotonicClock.now()
    ) {
        var logger = logger
        logger[metadataKey: "sandbox"] = "\(Escaped(sandbox, limit: 128))"
        logger[metadataKey: "mode"] = "\(mode.rawValue)"
        self.logger = logger
        budget = LineBudget(at: moment)
        if mode.isPermissive {
            logger.warning("this sandbox denies nothing: it only reports the calls that it would deny")
        }
    }

    mutating func write(_ denial: Denial, at moment: UInt64 = MonotonicClock.now()) {
        guard budget.acquire(at: moment) else { return }
        var metadata = DenialRecord(denial).metadata
        let suppressed = budget.takeSuppressed()
        if suppressed > 0 { metadata["suppressed"] = "\(suppressed)" }
        // It is normal that a program continues after a denial. If a denial killed the program, the level is `notice`.
        let level: Logger.Level = denial.answer == .ended ? .notice : .debug
        logger.log(level: level, "\(denial.headline)", metadata: metadata)
    }

    mutating func close(_ summary: DenialSummary) {
        let kinds = summary.denials.count
        guard kinds > 0 || summary.dropped > 0 else { return }
        logger.debug(
            "all denials",
            metadata: [
                "total": "\(summary.total)", "kinds": "\(kinds)", "dropped": "\(summary.dropped)",
                "suppressed": "\(budget.takeSuppressed())", "lostStacks": "\(summary.lostStacks)",
            ])
    }
}

extension DenialRecord {
    /// The keys are spelled as in JSON. `quiet`, the count and the times are not logged. The backtrace is not logged
    /// either, because it does not fit into a line.
    fileprivate var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "kind": "\(kind)", "call": "\(call)", "text": "\(text)", "answer": "\(answer)", "thread": "\(thread)",
        ]
        let texts: [(String, String?)] = [
            ("errno", errno), ("line", line), ("reason", reason), ("remedy", remedy?.description),
            ("path", path?.description), ("option", option?.description), ("executable", executable?.description),
            ("process", process.map { "\($0)" }),
        ]
        for (key, value) in texts { if let value { metadata[key] = "\(value)" } }
        let lists: [(String, [String]?)] = [("layers", layers), ("needs", needs), ("missing", missing)]
        for (key, value) in lists { if let value { metadata[key] = .array(value.map { "\($0)" }) } }
        return metadata
    }
}

/// Limits the lines of a log: first a burst, then a number of lines per second. It counts the suppressed lines.
struct LineBudget {
    static let atOnce: UInt64 = 20
    static let perSecond: UInt64 = 5
    private static let second: UInt64 = 1_000_000_000

    private var lines = Self.atOnce
    private var filled: UInt64
    private(set) var suppressed = 0

    init(at moment: UInt64) {
        filled = moment
    }

    /// Whether a line may be written now.
    mutating func acquire(at moment: UInt64) -> Bool {
        let step = Self.second / Self.perSecond
        let earned = moment > filled ? (moment - filled) / step : 0
        if earned > 0 {
            lines = min(Self.atOnce, lines + min(earned, Self.atOnce))
            filled += earned * step
        }
        guard lines > 0 else {
            suppressed += 1
            return false
        }
        lines -= 1
        return true
    }

    /// The number of lines suppressed since the last call.
    mutating func takeSuppressed() -> Int {
        defer { suppressed = 0 }
        return suppressed
    }
}
