/// The first thing that an extension did otherwise than recorded.
package struct ReplayDifference: Sendable, Hashable, CustomStringConvertible {
    /// Which of the recorded messages, counted from 1; 0: none of them.
    package let message: Int
    /// What the recorded message is: `reply to call 3 (method 7)`.
    package let subject: String
    package let what: String

    package var description: String {
        message == 0 ? what : "message \(message), \(subject): \(what)"
    }
}
