internal import AnnexLinux
public import AnnexModel
internal import Synchronization

/// Receives the reports of one request on its progress.
public typealias ProgressHandler = @Sendable (RequestProgress) -> Void

/// The handlers of the open requests whose host asked for progress, by the request's number.
///
/// Reports come from the extension: their number may be wrong, or that of a request that is over. Such a report is dropped,
/// because an honest extension may send it as well.
final class ProgressHandlers: Sendable {
    /// A handler, and the lock that its calls hold.
    private final class Entry: Sendable {
        private struct State {
            var handler: ProgressHandler?
            /// The reports since the present second began, which began at this moment of `MonotonicClock`.
            var count = 0
            var second: UInt64 = 0
        }

        /// An extension sends at most twenty reports in a second. A hostile one could send thousands, for each of which
        /// the host might draw.
        private static let most = 40

        private let state: Mutex<State>

        init(_ handler: @escaping ProgressHandler) { state = Mutex(State(handler: handler)) }

        func end() { state.withLock { $0.handler = nil } }

        func receive(_ progress: RequestProgress) {
            state.withLock { state in
                let now = MonotonicClock.now()
                if now &- state.second >= 1_000_000_000 { (state.second, state.count) = (now, 0) }
                state.count += 1
                if state.count <= Self.most { state.handler?(progress) }
            }
        }
    }

    private let entries = Mutex<[UInt64: Entry]>([:])

    func add(_ handler: ProgressHandler?, for request: UInt64) {
        if let handler { entries.withLock { $0[request] = Entry(handler) } }
    }

    /// Waits for a call of the handler that is under way, so that none follows.
    func remove(_ request: UInt64) {
        let entry = entries.withLock { $0.removeValue(forKey: request) }
        entry?.end()
    }

    func receive(_ message: ProgressMessage) {
        entries.withLock { $0[message.request] }?.receive(message.progress)
    }
}
