/// One kind of call that the sandbox refused, however often it was made.
package struct Denial: Sendable, Hashable {
    package enum Answer: Sendable, Hashable {
        /// The call failed with this errno and the program went on.
        case refused(errno: Int32)
        /// The process was ended.
        case ended
    }

    /// The kernel's name of the call, for example `socket`.
    package let call: String
    /// The call with its arguments decoded, escaped: `socket(AF_INET, SOCK_STREAM, 0)`.
    package let text: String
    package let answer: Answer
    /// Where the policy decides this, and the line that would allow it.
    package let policyLine: String
    package let allowedBy: String?
    /// The thread that called, as the host numbers it.
    package let thread: UInt32
    /// How often, up to now.
    package var count: Int
}
