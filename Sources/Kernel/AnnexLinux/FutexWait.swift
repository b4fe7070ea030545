internal import Glibc

/// How a sleep on a shared word ended. None of these says that the word has changed: whoever slept reads it again.
package enum FutexWait: Sendable, Hashable {
    case woken
    /// The word was not the expected one any more.
    case changed
    case timedOut
    case interrupted
    /// The kernel refused, which only a peer's misuse of the word brings about.
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
