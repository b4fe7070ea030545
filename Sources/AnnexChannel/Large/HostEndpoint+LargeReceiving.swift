internal import AnnexLinux
internal import Synchronization

// Answers that come in pieces. Only answers do: they were asked for, each once, and no more is kept of one than this side
// has said it takes. So nothing of this needs a budget.

extension HostEndpoint {
    /// An answer begins.
    func handleLarge(_ frame: Frame, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        if let unfinished = receiver.large { throw .messageUnfinished(call: unfinished.first.call) }
        let (header, terms) = try LargeHeader.read(frame.payload, atMost: configuration.largestMessage)
        guard header.kind == .reply else { throw .unexpectedKind(header.kind.rawValue) }
        receiver.large = LargeMessage(header, frame, terms, to: try target(of: frame, receiver))
    }

    /// The next bytes of the answer that has begun.
    func handlePiece(_ frame: Frame, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        guard let call = receiver.large?.first.call, call == frame.call, frame.payload.isEmpty, frame.descriptors == 0
        else { throw .pieceOfNothing(call: frame.call) }
        try receiver.large?.take(Hostile(UInt32(truncatingIfNeeded: frame.method)), of: receiver.arena)
        guard let whole = receiver.large?.whole else { return }
        tally.bytesReceived.add(UInt64(truncatingIfNeeded: receiver.large?.header.length ?? 0))
        receiver.large = nil
        recorder?.note(received: whole)
        try handleAnswer(whole, &receiver)
    }

    /// Where an answer's bytes go. What is no answer to anything is refused before the first of them.
    private func target(
        of frame: Frame, _ receiver: borrowing HostReceiver
    ) throws(ChannelViolation) -> LargeMessage.Target {
        switch calls.withLock({ $0.find(frame.call) }) {
        case .open(let call), .taken(let call):
            guard frame.method == call.method else {
                throw .wrongMethod(call: frame.call, frame.method, asked: call.method)
            }
            guard !call.isPing else { throw .unexpectedKind(frame.kind.rawValue) }
            return call.memory.map(LargeMessage.Target.caller) ?? .own
        case .late: return .nobody
        case .neverIssued:
            guard receiver.rawCalls.wasMade(frame.call) else { throw .unknownCall(frame.call) }
            return .nobody
        }
    }

    func giveBackAll(_ receiver: inout HostReceiver) {
        if receiver.giveBackAll() { tally.wakeUpsForRoom.add() }
    }
}
