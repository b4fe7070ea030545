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
        let handler: Mutex<ProgressHandler?>

        init(_ handler: @escaping ProgressHandler) { self.handler = Mutex(handler) }
    }

    private let entries = Mutex<[UInt64: Entry]>([:])

    func add(_ handler: ProgressHandler?, for request: UInt64) {
        if let handler { entries.withLock { $0[request] = Entry(handler) } }
    }

    /// Waits for a call of the handler that is under way, so that none follows.
    func remove(_ request: UInt64) {
        let entry = entries.withLock { $0.removeValue(forKey: request) }
        entry?.handler.withLock { $0 = nil }
    }

    func receive(_ message: ProgressMessage) {
        entries.withLock { $0[message.request] }?.handler.withLock { $0?(message.progress) }
    }
}
