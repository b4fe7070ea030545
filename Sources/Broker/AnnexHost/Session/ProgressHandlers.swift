internal import AnnexLinux
public import AnnexModel
internal import Synchronization

/// Receives one request's reports on its progress.
public typealias ProgressHandler = @Sendable (RequestProgress) -> Void

/// The handlers of the open requests whose host asked for progress, by the request's number.
///
/// Reports come from the extension. The number in a report may be wrong, or belong to a request that is over. Such a
/// report is dropped. It does not count as a violation, because an honest extension may also send such a report.
final class ProgressHandlers: Sendable {
    /// A handler, with a lock that is held during its calls.
    private final class Entry: Sendable {
        private struct State {
            var handler: ProgressHandler?
            /// The number of reports since the present second began. `second` is the moment of `MonotonicClock` at
            /// which this second began.
            var count = 0
            var second: UInt64 = 0
        }

        /// The most reports in a second that the handler gets. An honest extension sends at most twenty. A hostile
        /// extension could send thousands of reports, and the host might draw for each of them.
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

    /// Removes a handler. If a call of the handler is in progress, this function waits for the call, so that no call
    /// follows.
    func remove(_ request: UInt64) {
        let entry = entries.withLock { $0.removeValue(forKey: request) }
        entry?.end()
    }

    func receive(_ message: ProgressMessage) {
        entries.withLock { $0[message.request] }?.receive(message.progress)
    }
}
