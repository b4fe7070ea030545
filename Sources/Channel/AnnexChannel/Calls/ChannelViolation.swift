/// A rule of the channel that the peer broke. Numbers are the peer's own, for reports only.
public enum ChannelViolation: Error, Sendable, Hashable {
    /// The peer claims to have read what was never written.
    case consumed(step: UInt64, unread: UInt32)
    /// A frame longer than half the ring.
    case length(UInt64, room: UInt32)
    case unknownKind(UInt8)
    /// A kind that only the other side sends.
    case unexpectedKind(UInt8)
    /// A frame that must carry nothing carries something, or the other way round.
    case malformed(kind: UInt8, length: Int)
    /// Something else came before the hello.
    case noHello(kind: UInt8)
    case secondHello
    case malformedHello(length: Int)
    case wireVersion(UInt32)
    /// An answer to a call that was never made.
    case unknownCall(UInt64)
    /// An answer of another method than was asked.
    case wrongMethod(call: UInt64, UInt16, asked: UInt16)
    /// A frame of a stream that was never opened, or an opening whose number is not a new one of the extension's.
    case unknownStream(UInt64)
    /// A message without the credit for it, or credit that was never owed.
    case streamCredit(UInt64)
    /// A message or an end after the stream's end.
    case streamIsOver(UInt64)
    /// A message begins in pieces before the last one has all of its own.
    case messageUnfinished(call: UInt64)
    /// A piece, and no message that has any to come.
    case pieceOfNothing(call: UInt64)
    /// A piece at a place that the arena does not have.
    case pieceOutside(place: UInt64, places: UInt32)
    /// Descriptors that no open call accepts, or more than it accepts.
    case descriptorsNotAskedFor(count: Int, call: UInt64)
    /// A frame announces descriptors that the control socket did not bring before it.
    case descriptorsMissing(call: UInt64)
    /// A control message that is neither a doorbell nor a tag with its descriptors.
    case malformedControl(length: Int, descriptors: Int)
    /// What was handed over is not a regular file in memory with every seal.
    case notSealed(String)
    /// Sealed memory of another size than the call accepts.
    case sealedSize(UInt64, accepted: UInt64)
    /// Sealed memory with holes, which its reader would fill at its own expense.
    case sealedHoles(UInt64)
    /// The kernel refused to wait on the peer's word, which only its misuse brings about.
    case sharedWord(errno: Int32)
    /// What its host has for it lay unread for longer than the channel allows.
    case unread(seconds: UInt64)
    /// More than the channel's budget within a second.
    case messageBudget(MessageBudget, limit: UInt32)

    /// What there was too much of.
    public enum MessageBudget: String, Sendable, Hashable {
        case frames = "frames nobody asked for"
        case control = "control messages"
        case bytes = "bytes that nobody asked for"
        case unread = "answers that it does not read"
        case unreadBytes = "bytes of answers that it does not read"
        case wakeUps = "wake-ups without a message"
    }
}
