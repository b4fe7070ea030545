import Dispatch
import Synchronization

/// A value that another thread provides once.
final class Noted<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let came = DispatchSemaphore(value: 0)

    func note(_ new: Value) {
        value.withLock { $0 = new }
        came.signal()
    }

    /// Waits for the value. The test's own time limit bounds the wait.
    func wait() -> Value {
        while true {
            came.wait()
            if let found = value.withLock({ $0 }) { return found }
        }
    }
}
