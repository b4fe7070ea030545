internal import Glibc

/// How a sleep on a shared word ended. None of the cases promises that the word changed, so the sleeper must read it
/// again.
package enum FutexWait: Sendable, Hashable {
    case woken
    /// The word did not have the expected value any more.
    case changed
    case timedOut
    case interrupted
    /// The kernel refused to sleep. Only misuse of the word by the peer causes that.
    case refused(Int32)

    init(_ result: Int32) {
        switch -result {
        case 0: self = .woken
        case EAGAIN: self = .changed
        case ETIMEDOUT: self = .timedOut
        case EINTR: self = .interrupted
        default: self = .refused(-result)
        }
    }
}
