/// A rule of the channel that the peer violated. The numbers come from the peer and are for reports only.
public enum ChannelViolation: Error, Sendable, Hashable {
    /// The peer claims to have read more than was written.
    case consumed(step: UInt64, unread: UInt32)
    /// A frame is longer than half the ring.
    case length(UInt64, room: UInt32)
    case unknownKind(UInt8)
    /// A frame has a kind that only the receiving side may send.
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
    /// An answer names a method that differs from the method of its request.
    case wrongMethod(call: UInt64, UInt16, asked: UInt16)
    /// A frame names a stream that was never opened, or opens a stream with a wrong number. A number is wrong if it is
    /// not larger than the last stream's number or is not one of the extension's numbers.
    case unknownStream(UInt64)
    /// A message exceeds its stream's credit, or a credit frame returns more than was spent.
    case streamCredit(UInt64)
    /// A message or a finish came after the stream's end.
    case streamIsOver(UInt64)
    /// A message in pieces begins before the previous message is complete.
    case messageUnfinished(call: UInt64)
    /// A piece came, but no message in pieces is open.
    case pieceOfNothing(call: UInt64)
    /// A piece names a place that the arena does not have.
    case pieceOutside(place: UInt64, places: UInt32)
    /// Descriptors came although no open call accepts any, or more descriptors came than the call accepts.
    case descriptorsNotAskedFor(count: Int, call: UInt64)
    /// A frame announces descriptors that did not arrive on the control socket before the frame.
    case descriptorsMissing(call: UInt64)
    /// A control message is neither a doorbell nor a tag with its descriptors.
    case malformedControl(length: Int, descriptors: Int)
    /// A descriptor that was handed over is not a regular file in memory with every seal.
    case notSealed(String)
    /// Sealed memory is empty or larger than the call accepts.
    case sealedSize(UInt64, accepted: UInt64)
    /// Sealed memory has holes. The memory that fills a hole is charged to the process that reads the hole.
    case sealedHoles(UInt64)
    /// The kernel refused to let this side wait on a word in the shared memory. Only misuse by the peer can cause this
    /// refusal.
    case sharedWord(errno: Int32)
    /// Messages of the host stayed unread for longer than the channel allows.
    case unread(seconds: UInt64)
    /// The peer exceeded one of the channel's budgets. A budget applies to one second, or in total to the frames that
    /// the peer leaves unread.
    case messageBudget(MessageBudget, limit: UInt32)

    /// The budget that was exceeded.
    public enum MessageBudget: String, Sendable, Hashable {
        case frames = "unsolicited frames"
        case control = "control messages"
        case bytes = "unsolicited bytes"
        case unread = "unread answers"
        case unreadBytes = "bytes of unread answers"
        case wakeUps = "wake-ups without a message"

        /// Whether the budget is reset each second.
        fileprivate var isPerSecond: Bool { self != .unread && self != .unreadBytes }
    }
}

extension ChannelViolation: CustomStringConvertible {
    public var description: String {
        switch self {
        case .consumed(let step, let unread):
            "a claim to have read \(step) bytes, although only \(unread) were unread"
        case .length(let length, let room): "a frame of \(length) bytes, but at most \(room) bytes fit"
        case .unknownKind(let kind): "a frame of unknown kind \(kind)"
        case .unexpectedKind(let kind): "a frame of kind \(kind), which only the other side sends"
        case .malformed(let kind, let length): "a malformed frame of kind \(kind) with \(length) bytes"
        case .noHello(let kind): "a frame of kind \(kind) before the hello"
        case .secondHello: "a second hello"
        case .malformedHello(let length): "a malformed hello of \(length) bytes"
        case .wireVersion(let version): "wire version \(version), but this side uses version \(WireFormat.version)"
        case .unknownCall(let call): "a frame for call \(call), which was never made or does not have the next number"
        case .wrongMethod(let call, let method, let asked):
            "an answer of method \(method) to call \(call), whose request has method \(asked)"
        case .unknownStream(let stream): "a frame of stream \(stream), which is not open"
        case .streamCredit(let stream): "a frame of stream \(stream) that exceeds the stream's credit"
        case .streamIsOver(let stream): "a message on stream \(stream) after its end"
        case .messageUnfinished(let call):
            "a message for call \(call) that begins before the previous message is complete"
        case .pieceOfNothing(let call): "a piece for call \(call) without a message that it belongs to"
        case .pieceOutside(let place, let places): "a piece at place \(place) of an arena with only \(places) places"
        case .descriptorsNotAskedFor(let count, let call):
            "\(count) \(count == 1 ? "descriptor" : "descriptors") for call \(call), which accepts fewer"
        case .descriptorsMissing(let call): "an answer to call \(call) whose descriptors never arrived"
        case .malformedControl(let length, let descriptors):
            "a control message of \(length) bytes with \(descriptors) descriptors that is neither a doorbell nor a "
                + "hand-over"
        case .notSealed(let what): "a handed-over descriptor that is not sealed memory: \(what)"
        case .sealedSize(let size, let accepted):
            "sealed memory of \(size) bytes, but the call accepts from 1 to \(accepted)"
        case .sealedHoles(let size): "sealed memory of \(size) bytes with holes"
        case .sharedWord(let errno): "misuse of a shared word: waiting on it fails with errno \(errno)"
        case .unread(let seconds): "answers of the host that stayed unread for \(seconds) seconds"
        case .messageBudget(let what, let limit):
            "more than \(limit) \(what.rawValue)\(what.isPerSecond ? " within a second" : "")"
        }
    }
}
