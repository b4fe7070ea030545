/// What a frame is.
enum FrameKind: UInt8, Sendable {
    /// Extension to host, once, first.
    case hello = 1
    /// Either way; answered once.
    case request = 2
    /// The answer.
    case reply = 3
    /// The answer that there is none: a code and a text.
    case failure = 4
    /// Either way: nobody waits for the answer any more.
    case cancel = 5
    /// Either way, answered by nothing.
    case event = 6
    /// Host to extension: are you there?
    case ping = 7
    /// Extension to host: yes.
    case pong = 8
    /// Either way: begins a stream.
    case open = 9
    /// Either way: a message of a stream.
    case data = 10
    /// Either way: more messages of the other side have room.
    case credit = 11
    /// Either way: no more messages follow from this side.
    case finish = 12
    /// Either way: the stream is let go of.
    case reset = 13
    /// Either way: a message that is too large for a frame begins; its bytes follow in pieces.
    case large = 14
    /// Either way: the next bytes of the message that has begun lie in the writer's arena.
    case piece = 15
}
