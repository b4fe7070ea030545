internal import AnnexLinux
internal import AnnexService
internal import Dispatch
internal import Synchronization

/// What a thread waits for until a daemon has answered.
final class PendingAnswer: Sendable {
    private let answer = Mutex<Result<ServiceAnswer, ServiceError>?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)

    /// Only the first counts.
    func come(_ result: Result<ServiceAnswer, ServiceError>) {
        let isFirst = answer.withLock { answer in
            guard answer == nil else { return false }
            answer = result
            return true
        }
        if isFirst { semaphore.signal() }
    }

    /// - Parameter deadline: a moment of `MonotonicClock`.
    /// - Returns: nil where none has come by then.
    func wait(until deadline: UInt64) -> Result<ServiceAnswer, ServiceError>? {
        let left = Int(clamping: MonotonicClock.remaining(until: deadline))
        _ = semaphore.wait(timeout: .now() + .nanoseconds(left))
        return answer.withLock { $0 }
    }
}
