internal import AnnexModel
internal import Synchronization

/// What a widget's runner has to do next. Jobs that wait are few, however slow the widget is: equal ones become one.
final class WidgetJobs: Sendable {
    enum Job: Sendable, Hashable {
        /// End the widget.
        case stop
        /// Tell the widget its new place, if it runs.
        case move
        /// Pass on what the user did. For a few seconds after this moment, the widget may open an app for it; never if it is
        /// nil. The widget is launched if it does not run.
        case perform(ContentAction, at: Duration?)
        /// Launch the widget if it does not run, and update it. The schedule has given the update this number.
        case update(Int)
    }

    /// A user who taps more often before the widget answers is not waiting for each tap.
    private static let mostActions = 16

    private let waiting = Mutex<[Job]>([])
    /// A value after jobs were added. For one reader.
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

    /// No more jobs follow. The widget ends.
    func finish() {
        waiting.withLock { $0 = [] }
        arrival.finish()
    }
}
