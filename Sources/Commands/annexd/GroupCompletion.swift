import Dispatch
import Synchronization

/// How a group of services ended, for a thread that waits for it.
final class GroupCompletion: Sendable {
    private let error = Mutex<(any Error)?>(nil)
    private let isOver = DispatchSemaphore(value: 0)

    /// - Parameter error: the error that ended the group; nil if the group was asked to end.
    func tell(_ error: (any Error)?) {
        self.error.withLock { $0 = error }
        isOver.signal()
    }

    func wait() -> (any Error)? {
        isOver.wait()
        return error.withLock { $0 }
    }
}
