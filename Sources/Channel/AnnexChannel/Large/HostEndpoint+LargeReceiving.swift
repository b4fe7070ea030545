internal import AnnexLinux
internal import Synchronization

// Answers that come in pieces. Only answers do: they were asked for, each once, and no more is kept of one than its caller
// has said it takes. What nobody waits for costs the extension its budgets before the first of its bytes.

extension HostEndpoint {
    /// An answer begins.
    func handleLarge(_ frame: Frame, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        if let unfinished = receiver.large { throw .messageUnfinished(call: unfinished.first.call) }
        let (header, terms) = try LargeHeader.read(frame.payload, atMost: configuration.largestMessage)
        guard header.kind == .reply else { throw .unexpectedKind(header.kind.rawValue) }
        receiver.large = LargeMessage(header, frame, terms, to: try target(of: header, frame, &receiver))
    }

    /// The next bytes of the answer that has begun.
    func handlePiece(_ frame: Frame, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        guard let call = receiver.large?.first.call, call == frame.call, frame.payload.isEmpty, frame.descriptors == 0
        else { throw .pieceOfNothing(call: frame.call) }
        try receiver.large?.take(Hostile(UInt32(truncatingIfNeeded: frame.method)), of: receiver.arena)
        guard let whole = receiver.large?.whole, let isForNobody = receiver.large?.isForNobody else { return }
        tally.bytesReceived.add(UInt64(truncatingIfNeeded: receiver.large?.header.length ?? 0))
        receiver.large = nil
        // It was paid for when it began.
        if isForNobody { return try dropHandOver(whole) }
        recorder?.note(received: whole)
        try handleAnswer(whole, &receiver)
    }

    /// Where an answer's bytes go. What is no answer to anything is refused before the first of them.
    private func target(
        of header: LargeHeader, _ frame: Frame, _ receiver: inout HostReceiver
    ) throws(ChannelViolation) -> LargeMessage.Target {
        switch calls.withLock({ $0.find(frame.call) }) {
        case .open(let call), .taken(let call):
            guard frame.method == call.method else {
                throw .wrongMethod(call: frame.call, frame.method, asked: call.method)
            }
            guard !call.isPing else { throw .unexpectedKind(frame.kind.rawValue) }
            return memory(for: header, of: call)
        case .late: break
        case .neverIssued:
            guard receiver.rawCalls.wasMade(frame.call) else { throw .unknownCall(frame.call) }
        }
        try handleLate(frame, bytes: Int(truncatingIfNeeded: header.length), &receiver)
        return .nobody
    }

    /// A caller's own memory bounds itself. An answer that its caller does not take ends the call, and is copied nowhere:
    /// an honest extension cannot know how much that is, so nothing is held against it.
    private func memory(for header: LargeHeader, of call: ChannelCall) -> LargeMessage.Target {
        if let memory = call.memory { return .caller(memory) }
        let most = max(call.mostReply, largestReplyFrame)
        let bytes = Int(truncatingIfNeeded: header.length)
        guard bytes > most else { return .own }
        if takeOut(call.id) { call.resolveWhileReading(.failure(.payloadTooLarge(bytes: bytes, most: most))) }
        dropHandOver(of: call)
        return .nobody
    }

    /// The most bytes of an answer in one frame.
    private var largestReplyFrame: Int {
        Int(truncatingIfNeeded: WireFormat.largestPayload(capacity: configuration.extensionCapacity))
    }

    func giveBackAll(_ receiver: inout HostReceiver) {
        if receiver.giveBackAll() { tally.wakeUpsForRoom.add() }
    }
}
