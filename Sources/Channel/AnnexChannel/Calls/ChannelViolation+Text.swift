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
