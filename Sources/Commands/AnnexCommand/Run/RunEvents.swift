import AnnexLaunch
import AnnexLinux
import AnnexPolicy
internal import AnnexSandbox
import Glibc
import Synchronization

/// Writes one line of JSON for each kind of denial while the program runs, and one line for the end of the run.
///
/// A thread of its own writes the lines, so a slow reader delays neither the program nor its limits. The number of
/// kinds of denials is bounded, and so is the number of lines that wait.
final class RunEvents: Sendable {
    private struct State {
        var denials: [Denial] = []
        var policy: Policy?
        /// The last line.
        var end: EndLine?
        var isOver = false
        var failure: (any Error)?
    }

    /// How long the end of the run waits for the reader.
    private static let patience = Duration.seconds(10)

    private let file: Descriptor
    private let state = Mutex(State())
    private let work = Parker()
    private let done = Parker()

    /// - Parameter target: the number of an open descriptor of this process, or a path.
    /// - Throws: if the target cannot be opened for writing.
    init(_ target: String) throws(SandboxError) {
        if let number = Int32(target), number >= 0 {
            file = try Self.duplicate(number)
        } else {
            file = try RunReportFile.stream(path: target)
        }
        do throws(SystemError) {
            _ = try WorkerThread("annex-json") { [self] in writeAll() }
        } catch {
            throw SandboxError("events", error: error)
        }
    }

    private static func duplicate(_ number: Int32) throws(SandboxError) -> Descriptor {
        let flags = fcntl(number, F_GETFL)
        guard flags >= 0, flags & O_ACCMODE != O_RDONLY else {
            throw SandboxError(
                "events", cause: "--json-events: descriptor \(number) is not open for writing",
                remedy: "open it in the shell (\(number)>events.jsonl), or name a file")
        }
        return try SandboxError.step("events") { () throws(SystemError) in
            Descriptor(owning: try SystemError.retrying("fcntl") { fcntl(number, F_DUPFD_CLOEXEC, 3) })
        }
    }

    /// The policy from which the denials follow. It must be known before the program runs.
    func begin(_ policy: Policy) { state.withLock { $0.policy = policy } }

    /// Writes a line about the first denial of a kind. The call does not wait.
    func post(_ denial: Denial) {
        state.withLock { $0.denials.append(denial) }
        work.unpark()
    }

    /// Writes the last line, and waits until all lines are written.
    /// - Returns: why some lines were lost; nil if none was.
    func finish(_ end: EndLine) -> (any Error)? {
        state.withLock { $0.end = end }
        work.unpark()
        let deadline = MonotonicClock.deadline(after: Self.patience)
        while !state.withLock({ $0.isOver }) {
            if MonotonicClock.now() >= deadline { return SystemError("write", errno: ETIMEDOUT) }
            done.park(until: deadline)
        }
        return state.withLock { $0.failure }
    }

    // MARK: - On the thread

    private func writeAll() {
        do {
            while true {
                let (denials, policy, end) = state.withLock { state in
                    defer { state.denials = [] }
                    return (state.denials, state.policy, state.end)
                }
                if let policy {
                    let allowances = Allowances(beside: policy)
                    for denial in denials { try write(DenialLine(denial, beside: allowances)) }
                }
                if let end {
                    try write(end)
                    break
                }
                if denials.isEmpty { work.park(until: nil) }
            }
        } catch {
            state.withLock { $0.failure = error }
        }
        state.withLock { $0.isOver = true }
        done.unpark()
    }

    private func write(_ line: some Encodable) throws {
        try file.writeAll(Array((try EncodedJSON.line(line) + "\n").utf8), within: Self.patience)
    }
}

extension RunEvents {
    /// The line about a denial: the keys of `denials` in the report, and the options of `annex run` that allow it.
    private struct DenialLine: Encodable {
        private enum Key: String, CodingKey { case event, options }

        private let record: DenialRecord
        private let options: [[String]]

        init(_ denial: Denial, beside allowances: Allowances) {
            let choices = RunRemedy(denial, beside: allowances)?.choices ?? []
            let safe = choices.withoutCredentials
            record = safe.count == choices.count ? DenialRecord(denial) : DenialRecord(denial).withoutOption
            options = safe.map(\.options)
        }

        func encode(to encoder: any Encoder) throws {
            try record.encode(to: encoder)
            var keys = encoder.container(keyedBy: Key.self)
            try keys.encode("denied", forKey: .event)
            try keys.encode(options, forKey: .options)
        }
    }

    /// The last line: some keys of the report, and the hint.
    struct EndLine: Encodable, Sendable {
        private let event = "ended"
        private let status: Int32
        private let reason: String
        private let detail: String
        private let exitCode: Int32?
        private let signal: Int32?
        private let remedy: String?
        private let denialCount: Int
        private let hint: String?
        /// The options of the hint. Each list is enough by itself.
        private let options: [[String]]

        /// The end of a run.
        init(_ report: SandboxRunReport, status: Int32, hint: RunHint?) {
            self.status = status
            reason = report.reason.rawValue
            detail = report.detail
            exitCode = report.exitCode
            signal = report.signal
            remedy = report.remedy
            denialCount = report.denialCount
            self.hint = hint?.line
            options = hint?.choices.map(\.options) ?? []
        }

        /// A program that was not started.
        init(_ error: any Error, status: Int32) {
            self.status = status
            reason = EndReason.launchFailed.rawValue
            let failure = error as? SandboxError
            detail = failure.map { "\($0.step): \($0.cause)" } ?? "\(error)"
            (exitCode, signal, hint) = (nil, nil, nil)
            remedy = failure?.remedy
            denialCount = 0
            options = []
        }
    }
}
