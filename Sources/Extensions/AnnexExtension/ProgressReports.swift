internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel

extension ExtensionContext {
    /// Reports to the host how much of the work is done. Every report that is sent reaches the host before the
    /// answer.
    ///
    /// The work may call this function as often as it likes, but at most twenty reports a second are sent. A later
    /// report replaces a report that was not sent yet. The last report is sent before the answer. If the host does
    /// not want progress, nothing is sent.
    ///
    /// - Parameters:
    ///   - fraction: the part of the work that is done, between 0 and 1. A smaller value is replaced by 0, and a
    ///     larger one by 1. NaN is ignored.
    ///   - text: a short text for the user. At most its first 256 bytes are sent.
    public func report(progress fraction: Double, text: String? = nil) {
        guard request != nil, !fraction.isNaN else { return }
        let text = text.map { Self.prefix(of: $0, bytes: RequestProgress.longestText) }
        progress.report(RequestProgress(fraction: min(max(fraction, 0), 1), text: text))
    }

    /// The longest beginning of a text that has at most this many bytes. No character is cut in two.
    private static func prefix(of text: String, bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        var (end, count) = (text.startIndex, 0)
        for scalar in text.unicodeScalars {
            count += String(scalar).utf8.count
            guard count <= bytes else { break }
            end = text.unicodeScalars.index(after: end)
        }
        return String(text[..<end])
    }
}

/// Sends the reports of one request, at a limited rate.
final class ProgressReports {
    /// The shortest time between two reports, in nanoseconds.
    private static let interval: UInt64 = 50_000_000

    private let lookout: ExtensionLookout
    /// The number that the host gave to the request; 0 if the host wants no reports.
    private let request: UInt64
    private var pending: RequestProgress?
    /// The time at which the next report may be sent, on `MonotonicClock`.
    private var next: UInt64 = 0
    /// Whether a timer will send the pending report.
    private var isScheduled = false

    init(of request: UInt64, to lookout: ExtensionLookout) {
        self.request = request
        self.lookout = lookout
    }

    func report(_ progress: RequestProgress) {
        guard request != 0 else { return }
        pending = progress
        let now = MonotonicClock.now()
        guard now >= next else { return schedule() }
        next = now &+ Self.interval
        finish()
    }

    /// Starts a timer that sends the pending report, so that the report is sent even if the work makes no further
    /// report.
    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        lookout.perform(at: next) { [weak self] in
            guard let self else { return }
            isScheduled = false
            next = MonotonicClock.now() &+ Self.interval
            finish()
        }
    }

    /// Sends the pending report, if there is one.
    func finish() {
        guard let progress = pending.take() else { return }
        // If the host is gone, the report cannot be sent, and the failure is ignored.
        try? lookout.sendAndWait(ProgressMessage(request: request, progress: progress))
    }
}
