internal import AnnexBrokerAPI
internal import AnnexLinux
internal import Logging
internal import Synchronization

/// Keeps one broker's reports. What goes wrong here is told to the program's log and to nobody else: an end is an end,
/// whether or not a disk has room for it.
final class ReportKeeper: Sendable {
    private struct State {
        /// Reports until the next look at how many there are.
        var untidied = 0
        /// What went wrong last; nil while nothing does.
        var trouble: String?
        /// The earliest moment to tell of lost ones again, on the monotonic clock.
        var nextWord: UInt64 = 0
    }

    /// So many more than the cap may lie there for a while, for each broker.
    static let tidyEvery = 16

    private let path: String
    private let cap: ReportFolder.Cap
    private let queue: ReportQueue
    private let logger: Logger
    private let state = Mutex(State())
    /// SYNC: relaxed: a count, told later.
    private let lost = Atomic<Int>(0)

    /// - Parameter path: the folder's; it is made for the first report.
    init(
        path: String, cap: ReportFolder.Cap = ReportFolder.Cap(), queue: ReportQueue = .shared,
        logger: Logger = Logger(label: BrokerLog.label)
    ) {
        self.path = path
        self.cap = cap
        self.queue = queue
        self.logger = logger
    }

    /// Nil where no reports are wanted, or nothing says where they would go.
    convenience init?(_ place: ReportPlace, logger: Logger = Logger(label: BrokerLog.label)) {
        do throws(SystemError) {
            guard let path = try place.path() else { return nil }
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

    /// Takes an end for its report; returns at once.
    func keep(_ end: EndedExtension, at time: WallClock = .now()) {
        let isTaken = queue.add(to: path, holding: end.weight) { [self] in write(end, time) }
        if !isTaken { lost.add(1, ordering: .relaxed) }
    }

    private func write(_ end: EndedExtension, _ time: WallClock) {
        let report = EndReport(end, at: time)
        let failure = state.withLock { state -> SystemError? in
            do throws(SystemError) {
                try save(report, &state)
                return nil
            } catch {
                return error
            }
        }
        tell(failure, of: end.identifier)
    }

    /// The folder is opened anew each time: a host has no descriptor of it, and what was put right or wrong about it
    /// counts.
    private func save(_ report: EndReport, _ state: inout State) throws(SystemError) {
        let folder = try ReportFolder.own(path)
        // First, so that nothing is added to what cannot be counted.
        if state.untidied == 0 { try folder.tidy(keeping: cap) }
        try folder.write(report.bytes, as: report.name)
        state.untidied = (state.untidied + 1) % Self.tidyEvery
    }

    /// At most once a second: those that were lost since are told together.
    private func tellOfOverflow() {
        let isTime = state.withLock { state in
            let now = MonotonicClock.now()
            guard now >= state.nextWord else { return false }
            state.nextWord = now &+ 1_000_000_000
            return true
        }
        let overflown = isTime ? lost.exchange(0, ordering: .relaxed) : 0
        guard overflown > 0 else { return }
        logger.warning("reports lost: more ends than the disk takes", metadata: [BrokerLog.lost: "\(overflown)"])
    }

    /// Once for each kind of trouble, however often it happens.
    private func tell(_ failure: SystemError?, of identifier: String) {
        if lost.load(ordering: .relaxed) > 0 { tellOfOverflow() }
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
