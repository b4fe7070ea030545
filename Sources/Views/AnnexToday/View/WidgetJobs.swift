internal import AnnexModel
internal import Synchronization

/// What a widget's runner has to do next. However slow the widget is, only a few jobs wait. Equal updates and moves are
/// merged into one job, and the number of user actions is limited.
final class WidgetJobs: Sendable {
    enum Job: Sendable, Hashable {
        /// End the widget.
        case stop
        /// Tell the widget its new place, if it runs.
        case move
        /// Pass on what the user did. For a few seconds after the moment `at`, the widget may open an app because of
        /// the action. If `at` is nil, the widget must not open an app. The widget is launched if it does not run.
        case perform(ContentAction, at: Duration?)
        /// Launch the widget if it does not run, and update it. The schedule has given the update this number.
        case update(Int)
    }

    /// The most user actions that wait. A user who taps more often than this before the widget answers does not
    /// expect an answer to each tap.
    private static let mostActions = 16

    private let waiting = Mutex<[Job]>([])
    /// A value arrives after jobs were added. Only one reader may read this stream.
    let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    init() {
        (arrivals, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func add(_ job: Job) {
        waiting.withLock { waiting in
            switch job {
            case .stop: waiting = [.stop]
            case .move, .update: if !waiting.contains(job) { waiting.append(job) }
            case .perform: if waiting.count < Self.mostActions { waiting.append(job) }
            }
        }
        arrival.yield()
    }

    func next() -> Job? { waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() } }

    /// States that no more jobs follow. The runner then ends the widget.
    func finish() {
        waiting.withLock { $0 = [] }
        arrival.finish()
    }
}
