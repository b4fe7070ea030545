public import AnnexModel
internal import Synchronization

/// Receives the reports of one request on its progress.
public typealias ProgressHandler = @Sendable (RequestProgress) -> Void

/// The handlers of the open requests whose host asked for progress, by the request's number.
///
/// Reports come from the extension: their number may be wrong, or that of a request that is over. Such a report is dropped,
/// because an honest extension may send it as well.
final class ProgressHandlers: Sendable {
    private let handlers = Mutex<[UInt64: ProgressHandler]>([:])

    func add(_ handler: ProgressHandler?, for request: UInt64) {
        if let handler { handlers.withLock { $0[request] = handler } }
    }

    func remove(_ request: UInt64) {
        handlers.withLock { _ = $0.removeValue(forKey: request) }
    }

    func receive(_ message: ProgressMessage) {
        handlers.withLock { $0[message.request] }?(message.progress)
    }
}
