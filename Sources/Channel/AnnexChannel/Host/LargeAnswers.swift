internal import AnnexLinux
internal import Synchronization

/// Receives answers in pieces. Of the extension's messages, only answers may come in pieces. The host requested each
/// answer once, and keeps at most as many bytes of an answer as the caller accepts. If no caller waits for an answer,
/// its bytes are counted against the extension's budgets before its first piece.
struct LargeAnswers {
    let leader: RingLeader
    private var state: ChannelState { leader.state }

    /// Handles the first frame of a large answer.
    func begin(_ frame: Frame, receiver: inout HostReceiver) throws(ChannelViolation) {
        if let unfinished = receiver.large { throw .messageUnfinished(call: unfinished.first.call) }
        let (header, terms) = try LargeHeader.read(frame.payload, atMost: state.configuration.largestMessage)
        guard header.kind == .reply else { throw .unexpectedKind(header.kind.rawValue) }
        receiver.large = LargeMessage(
            header, first: frame, terms: terms, to: try target(of: header, in: frame, receiver: &receiver))
    }

    /// Handles the next piece of the large answer.
    func goOn(with frame: Frame, receiver: inout HostReceiver) throws(ChannelViolation) {
        guard let call = receiver.large?.first.call, call == frame.call, frame.payload.isEmpty, frame.descriptors == 0
        else { throw .pieceOfNothing(call: frame.call) }
        try receiver.large?.copyPiece(Hostile(UInt32(truncatingIfNeeded: frame.method)), from: receiver.arena)
        guard let whole = receiver.large?.whole, let isForNobody = receiver.large?.isForNobody else { return }
        state.tally.bytesReceived.add(UInt64(truncatingIfNeeded: receiver.large?.header.length ?? 0))
        receiver.large = nil
        // The budget for an answer that no caller waits for was spent at its first frame.
        if isForNobody {
            leader.withdrawIfDrained(by: whole, receiver: &receiver)
            return try leader.control.dropHandOver(whole)
        }
        state.tap?.record(received: whole)
        try leader.handleAnswer(whole, receiver: &receiver)
    }

    /// The target for the bytes of a large answer. If an answer belongs to no call, this method rejects it before its
    /// first piece.
    private func target(
        of header: LargeHeader, in frame: Frame, receiver: inout HostReceiver
    ) throws(ChannelViolation) -> LargeMessage.Target {
        switch state.calls.withLock({ $0.find(frame.call) }) {
        case .open(let call), .removed(let call):
            guard frame.method == call.method else {
                throw .wrongMethod(call: frame.call, frame.method, asked: call.method)
            }
            guard !call.isPing else { throw .unexpectedKind(frame.kind.rawValue) }
            return memory(for: header, of: call)
        case .late: break
        case .neverIssued:
            guard receiver.rawCalls.wasMade(frame.call) else { throw .unknownCall(frame.call) }
        }
        try leader.handleLate(frame, bytes: Int(truncatingIfNeeded: header.length), receiver: &receiver)
        return .nobody
    }

    /// Chooses the memory for a large answer. If the caller gave memory of its own, the size of that memory is the
    /// limit. If the caller gave no memory, the limit is the larger of what the caller accepts and what fits into one
    /// frame. A larger answer ends the call and is not copied. An honest extension cannot know the limit, so a larger
    /// answer is no violation.
    private func memory(for header: LargeHeader, of call: ChannelCall) -> LargeMessage.Target {
        if let memory = call.memory { return .caller(memory) }
        let most = max(call.mostReply, state.largestReplyFrame)
        let bytes = Int(truncatingIfNeeded: header.length)
        guard bytes > most else { return .own }
        if leader.removeCall(call.id) { call.resolveWhileReading(.failure(.payloadTooLarge(bytes: bytes, most: most))) }
        leader.control.dropHandOver(of: call)
        return .nobody
    }
}
