/// A rule of the channel that the peer violated. The numbers come from the peer and are for reports only.
public enum ChannelViolation: Error, Sendable, Hashable {
    /// The peer claims to have read more than was written.
    case consumed(step: UInt64, unread: UInt32)
    /// A frame is longer than half the ring.
    case length(UInt64, room: UInt32)
    case unknownKind(UInt8)
    /// A frame has a kind that only the other side sends.
    case unexpectedKind(UInt8)
    /// A frame's payload, call or descriptors do not match its kind.
    case malformed(kind: UInt8, length: Int)
    /// A frame came before the hello.
    case noHello(kind: UInt8)
    case secondHello
    case malformedHello(length: Int)
    case wireVersion(UInt32)
    /// An answer names a call that was never made, or a request does not have the next number.
    case unknownCall(UInt64)
    /// An answer names another method than its request.
    case wrongMethod(call: UInt64, UInt16, asked: UInt16)
    /// A frame names a stream that was never opened, or opens a stream with a number that is not a new one of the
    /// extension's.
    case unknownStream(UInt64)
    /// A message exceeds its stream's credit, or credit exceeds the amount that was spent.
    case streamCredit(UInt64)
    /// A message or an end came after the stream's end.
    case streamIsOver(UInt64)
    /// A message in pieces begins before the previous one is complete.
    case messageUnfinished(call: UInt64)
    /// A piece came without a message that it belongs to.
    case pieceOfNothing(call: UInt64)
    /// A piece names a place that the arena does not have.
    case pieceOutside(place: UInt64, places: UInt32)
    /// Descriptors came that no open call accepts, or more than the call accepts.
    case descriptorsNotAskedFor(count: Int, call: UInt64)
    /// A frame announces descriptors that the control socket did not bring before it.
    case descriptorsMissing(call: UInt64)
    /// A control message is neither a doorbell nor a tag with its descriptors.
    case malformedControl(length: Int, descriptors: Int)
    /// A handed-over descriptor is not a regular file in memory with every seal.
    case notSealed(String)
    /// Sealed memory is empty or larger than the call accepts.
    case sealedSize(UInt64, accepted: UInt64)
    /// Sealed memory has holes, which its reader would fill with its own memory.
    case sealedHoles(UInt64)
    /// The kernel refused to wait on the peer's word. Only misuse by the peer can cause that.
    case sharedWord(errno: Int32)
    /// Messages of the host lay unread for longer than the channel allows.
    case unread(seconds: UInt64)
    /// The peer exceeded one of the channel's budgets within a second.
    case messageBudget(MessageBudget, limit: UInt32)

    /// The budget that was exceeded.
    public enum MessageBudget: String, Sendable, Hashable {
        case frames = "frames nobody asked for"
        case control = "control messages"
        case bytes = "bytes that nobody asked for"
        case unread = "answers that it does not read"
        case unreadBytes = "bytes of answers that it does not read"
        case wakeUps = "wake-ups without a message"
    }
}

extension ChannelViolation: CustomStringConvertible {
    public var description: String {
        switch self {
        case .consumed(let step, let unread):
            "it claims to have read \(step) bytes where \(unread) were unread"
        case .length(let length, let room): "a frame of \(length) bytes where at most \(room) have room"
        case .unknownKind(let kind): "a frame of unknown kind \(kind)"
        case .unexpectedKind(let kind): "a frame of kind \(kind), which only the other side sends"
        case .malformed(let kind, let length): "a frame of kind \(kind) with \(length) bytes that cannot be right"
        case .noHello(let kind): "a frame of kind \(kind) before its hello"
        case .secondHello: "a second hello"
        case .malformedHello(let length): "a hello of \(length) bytes that is none"
        case .wireVersion(let version): "wire version \(version), where this side speaks \(WireFormat.version)"
        case .unknownCall(let call): "a frame of call \(call), which was never made or is not the next"
        case .wrongMethod(let call, let method, let asked):
            "an answer of method \(method) to call \(call), which asked \(asked)"
        case .unknownStream(let stream): "a frame of stream \(stream), which is not open"
        case .streamCredit(let stream): "a frame of stream \(stream) that its credit does not cover"
        case .streamIsOver(let stream): "a message on stream \(stream) after its end"
        case .messageUnfinished(let call): "a message for call \(call) that begins within another one"
        case .pieceOfNothing(let call): "a piece for call \(call) of a message that is not there"
        case .pieceOutside(let place, let places): "a piece at place \(place) of an arena with \(places)"
        case .descriptorsNotAskedFor(let count, let call):
            "\(count) \(count == 1 ? "descriptor" : "descriptors") for call \(call), which accepts fewer"
        case .descriptorsMissing(let call): "an answer to call \(call) that announces descriptors which never came"
        case .malformedControl(let length, let descriptors):
            "a control message of \(length) bytes with \(descriptors) descriptors that is neither doorbell nor hand-over"
        case .notSealed(let what): "handed over what is not sealed memory: \(what)"
        case .sealedSize(let size, let accepted):
            "sealed memory of \(size) bytes where at most \(accepted) are accepted"
        case .sealedHoles(let size): "sealed memory of \(size) bytes with holes"
        case .sharedWord(let errno): "misuses a shared word: waiting on it fails with errno \(errno)"
        case .unread(let seconds): "what its host answers was not read within \(seconds) seconds"
        case .messageBudget(let what, let limit): "more than \(limit) \(what.rawValue) within a second"
        }
    }
}
