/// What a frame is.
enum FrameKind: UInt8, Sendable {
    /// Extension to host, once, first.
    case hello = 1
    /// Host to extension; answered once.
    case request = 2
    /// The answer.
    case reply = 3
    /// The answer that there is none: a code and a text.
    case failure = 4
    /// Host to extension: nobody waits for the answer any more.
    case cancel = 5
    /// Either way, answered by nothing.
    case event = 6
    /// Host to extension: are you there?
    case ping = 7
    /// Extension to host: yes.
    case pong = 8
}
