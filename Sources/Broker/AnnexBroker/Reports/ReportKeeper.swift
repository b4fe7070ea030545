internal import AnnexBrokerAPI
internal import AnnexLinux
internal import Logging
internal import Synchronization

/// Writes one broker's reports. Errors go only to the program's log. If a report is lost, the broker still handles the
/// extension's end as usual.
final class ReportKeeper: Sendable {
    private struct State {
        /// How many reports this broker wrote since it last tidied the folder.
        var untidied = 0
        /// The cause of the last failure; nil if the last report was written.
        var trouble: String?
        /// The earliest moment for the next log entry about lost reports, on the monotonic clock.
        var nextWord: UInt64 = 0
    }

    /// The number of reports that a broker writes before it tidies the folder again. So a folder may hold that many
    /// reports above the cap for a while.
    static let tidyEvery = 16

    private let path: String
    private let cap: ReportFolder.Cap
    private let queue: ReportQueue
    private let logger: Logger
    private let state = Mutex(State())
    /// SYNC: relaxed: this is a count, which is logged later.
    private let lost = Atomic<Int>(0)

    /// - Parameter path: the folder's path. The folder is created for the first report.
    init(
        path: String, cap: ReportFolder.Cap = ReportFolder.Cap(), queue: ReportQueue = .shared,
        logger: Logger = Logger(label: BrokerLog.label)
    ) {
        self.path = path
        self.cap = cap
        self.queue = queue
        self.logger = logger
    }

    /// The result is nil if no reports are wanted, or if the environment names no folder for them.
    convenience init?(_ location: ReportLocation, logger: Logger = Logger(label: BrokerLog.label)) {
        do throws(SystemError) {
            guard let path = try location.path() else { return nil }
            self.init(path: path, logger: logger)
        } catch {
            logger.warning(
                "no reports are kept",
                metadata: [
                    BrokerLog.cause: "\(Escaped(error.cause))", BrokerLog.remedy: "\(Escaped(error.remedy ?? ""))",
                ])
            return nil
        }
    }

    /// Queues the report of an end, and returns at once.
    func keep(_ end: EndedExtension, at time: WallClock = .now()) {
        let isTaken = queue.add(to: path, holding: end.weight) { [self] in write(end, at: time) }
        if !isTaken { lost.add(1, ordering: .relaxed) }
    }

    private func write(_ end: EndedExtension, at time: WallClock) {
        let report = EndReport(end, at: time)
        let failure = state.withLock { state -> SystemError? in
            do throws(SystemError) {
                try save(report, state: &state)
                return nil
            } catch {
                return error
            }
        }
        logFailure(failure, of: end.identifier)
    }

    /// Opens the folder anew for each report. So the host holds no descriptor of the folder, and a change to the folder
    /// takes effect.
    private func save(_ report: EndReport, state: inout State) throws(SystemError) {
        let folder = try ReportFolder.own(path)
        // The folder is tidied before the report is written. If its reports cannot be counted, `tidy` throws, and no
        // report is added.
        if state.untidied == 0 { try folder.tidy(keeping: cap) }
        try folder.write(report.bytes, as: report.name)
        state.untidied = (state.untidied + 1) % Self.tidyEvery
    }

    /// Logs how many reports were lost since the last entry about lost reports. This function writes at most one entry
    /// a second.
    private func logOverflow() {
        let isTime = state.withLock { state in
            let now = MonotonicClock.now()
            guard now >= state.nextWord else { return false }
            state.nextWord = now &+ 1_000_000_000
            return true
        }
        let overflown = isTime ? lost.exchange(0, ordering: .relaxed) : 0
        guard overflown > 0 else { return }
        logger.warning(
            "reports are lost: extensions end faster than the disk stores their reports",
            metadata: [BrokerLog.lost: "\(overflown)"])
    }

    /// Logs a failure once, even if the same failure occurs many times in a row.
    private func logFailure(_ failure: SystemError?, of identifier: String) {
        if lost.load(ordering: .relaxed) > 0 { logOverflow() }
        let isNews = state.withLock { state in
            defer { state.trouble = failure?.cause }
            return state.trouble != failure?.cause
        }
        guard let failure else {
            if isNews { logger.notice("reports are kept again", metadata: [BrokerLog.folder: "\(Escaped(path))"]) }
            return
        }
        var metadata: Logger.Metadata = [
            BrokerLog.identifier: "\(Escaped(identifier))", BrokerLog.folder: "\(Escaped(path))",
            BrokerLog.cause: "\(Escaped(failure.cause))",
        ]
        if let remedy = failure.remedy { metadata[BrokerLog.remedy] = "\(Escaped(remedy))" }
        logger.log(level: isNews ? .warning : .debug, "a report is lost", metadata: metadata)
    }
}
