internal import AnnexLinux
internal import Synchronization

extension RingLeader {
    /// Handles the frames that are published now, but stops after as many bytes as the ring holds.
    /// - Returns: false if the channel is closed.
    func pump(_ receiver: inout HostReceiver) -> Bool {
        guard !state.isClosed.load(ordering: .acquiring) else { return false }
        let start = receiver.reader.bytesRead
        do throws(ChannelViolation) {
            while !receiver.reader.hasReadARing(since: start), let header = try receiver.reader.poll() {
                try readAndHandle(header, receiver: &receiver)
            }
        } catch {
            state.close(for: error)
            return false
        }
        return true
    }

    /// Takes one frame out of the ring and handles it.
    func readAndHandle(_ header: CheckedHeader, receiver: inout HostReceiver) throws(ChannelViolation) {
        let frame = receiver.reader.read(header)
        state.tally.framesReceived.add()
        state.tally.bytesReceived.add(UInt64(truncatingIfNeeded: frame.payload.count))
        // A message in pieces is recorded as a whole, after its last piece.
        if header.kind != .large, header.kind != .piece { state.tap?.record(received: frame) }
        try handle(frame, receiver: &receiver)
        guard header.kind == .piece else { return giveBack(&receiver) }
        // A piece's place in the arena is given back at once, because the extension may need this place to send the
        // next piece.
        if receiver.giveBackAll() { state.tally.wakeUpsForRoom.add() }
    }

    @inline(__always) func giveBack(_ receiver: inout HostReceiver) {
        if receiver.giveBack() { state.tally.wakeUpsForRoom.add() }
    }

    func handle(_ frame: Frame, receiver: inout HostReceiver) throws(ChannelViolation) {
        guard receiver.saidHello || frame.kind == .hello else { throw .noHello(kind: frame.kind.rawValue) }
        switch frame.kind {
        case .hello: try handleHello(frame, receiver: &receiver)
        case .reply, .failure, .pong: try handleAnswer(frame, receiver: &receiver)
        case .event:
            try receiver.spend(frame, state: state)
            try checkBare(frame)
            let event = ChannelEvent(method: frame.method, payload: frame.payload)
            try state.deliver(event, mostWaiting: receiver.mostUndelivered)
        case .request, .cancel:
            if frame.kind == .request, state.expected.take(frame.method) {
                try receiver.spendBytes(of: frame, state: state)
            } else {
                try receiver.spend(frame, state: state)
            }
            try HostedRequest.handle(frame, leader: self)
        case .open, .data, .credit, .finish, .reset: try handleStream(frame, receiver: &receiver)
        case .large: try beginLarge(frame, receiver: &receiver)
        case .piece: try goOnLarge(with: frame, receiver: &receiver)
        case .ping: throw .unexpectedKind(frame.kind.rawValue)
        }
    }

    private func handleHello(_ frame: Frame, receiver: inout HostReceiver) throws(ChannelViolation) {
        guard !receiver.saidHello else { throw .secondHello }
        try checkBare(frame)
        let said = try Hello(frame)
        receiver.saidHello = true
        receiver.supportsEveryDoorbell = said.wire.contains(.everyDoorbell)
        if said.wire.contains(.staying) { sender.half.withLock { $0.framesMayStay = true } }
        state.accept(said, hasArena: sender.own.arena.places > 0)
    }

    /// Throws if the header names a call or descriptors. The frames for which this method is called must have neither.
    private func checkBare(_ frame: Frame) throws(ChannelViolation) {
        guard frame.call == 0, frame.descriptors == 0 else {
            throw .malformed(kind: frame.kind.rawValue, length: frame.payload.count)
        }
    }

    func handleAnswer(_ frame: Frame, receiver: inout HostReceiver) throws(ChannelViolation) {
        // While a large answer arrives, a second answer to its call is a violation. The second answer would be copied
        // into the caller's memory, but only the large answer's length was compared with the size of that memory.
        if let unfinished = receiver.large, !unfinished.isForNobody, unfinished.first.call == frame.call {
            throw .messageUnfinished(call: frame.call)
        }
        withdrawIfDrained(by: frame, receiver: &receiver)
        switch state.calls.withLock({ $0.match(frame) }) {
        case .removed(let call):
            receiver.wasAnswered()
            call.resolveWhileReading(.success(Reply(payload: frame.payload, sealed: [])))
        case .neverIssued where RawCalls.isRaw(frame.call): try handleLateRaw(frame, receiver: &receiver)
        case .neverIssued: throw .unknownCall(frame.call)
        case .late:
            try handleLate(frame, bytes: 0, receiver: &receiver)
            try control.dropHandOver(frame)
        case .open(let call):
            guard frame.method == call.method else {
                throw .wrongMethod(call: frame.call, frame.method, asked: call.method)
            }
            guard call.isPing == (frame.kind == .pong) else { throw .unexpectedKind(frame.kind.rawValue) }
            let outcome = try outcome(of: frame, for: call)
            guard removeCall(call.id) else { return }
            if !call.isPing { receiver.wasAnswered() }
            call.resolveWhileReading(outcome)
        }
    }

    /// Withdraws the request for a doorbell if the frame hands over descriptors. To take the descriptors, the leader
    /// reads the socket. The leader may also read a doorbell there, which the event loop's thread then never sees. The
    /// extension rings only once for each request for a doorbell. So the old request is withdrawn, and the leader makes
    /// a new request when it stops leading.
    private func withdrawIfDrained(by frame: Frame, receiver: inout HostReceiver) {
        if frame.descriptors > 0 { receiver.withdraw() }
    }

    /// Handles an answer to a raw call that has ended. While a raw call is open, its caller takes the answer itself.
    private func handleLateRaw(_ frame: Frame, receiver: inout HostReceiver) throws(ChannelViolation) {
        guard receiver.rawCalls.wasMade(frame.call) else { throw .unknownCall(frame.call) }
        guard frame.descriptors == 0 else { throw .descriptorsNotAskedFor(count: 1, call: frame.call) }
        try handleLate(frame, bytes: 0, receiver: &receiver)
    }

    /// Handles an answer that no caller waits for. For each call that this side gave up, one late answer does not count
    /// against the extension's budgets.
    /// - Parameter bytes: how many bytes follow in pieces.
    func handleLate(_ frame: Frame, bytes: Int, receiver: inout HostReceiver) throws(ChannelViolation) {
        state.tally.lateReplies.add()
        // If a leader gave up its raw call, `rawCalls` counts that call. If a raw call entered the table before this
        // side gave it up, the table counts that call. A raw call enters the table, for example, because its task
        // suspends.
        if RawCalls.isRaw(frame.call), receiver.rawCalls.expectsLateAnswer() { return }
        if state.calls.withLock({ $0.expectsLateAnswer() }) { return }
        try receiver.spendFrame()
        if bytes > 0 { try receiver.spend(bytes: bytes, at: MonotonicClock.now(), state: state) }
    }

    private func outcome(
        of frame: Frame, for call: ChannelCall
    ) throws(ChannelViolation) -> ChannelCall.Outcome {
        guard frame.kind == .reply else {
            guard frame.descriptors == 0 else {
                throw .malformed(kind: frame.kind.rawValue, length: frame.payload.count)
            }
            return frame.kind == .pong ? .success(Reply(payload: [], sealed: [])) : .failure(try CallFailure(frame))
        }
        do throws(CallFailure) {
            let sealed = try control.sealedBytes(frame, for: call)
            state.tap?.record(received: sealed, call: call.id)
            return .success(Reply(payload: frame.payload, sealed: sealed))
        } catch {
            if case .violated(let violation) = error { throw violation }
            return .failure(error)
        }
    }
}

// Streams.
extension RingLeader {
    /// Handles a frame that belongs to a stream.
    func handleStream(_ frame: Frame, receiver: inout HostReceiver) throws(ChannelViolation) {
        guard frame.descriptors == 0 else {
            throw .malformed(kind: frame.kind.rawValue, length: frame.payload.count)
        }
        if frame.kind == .open {
            try receiver.spend(frame, state: state)
            return try ChannelStream.accept(frame, leader: self)
        }
        switch state.streams.withLock({ $0.find(frame.call) }) {
        case .neverOpened: throw .unknownStream(frame.call)
        case .late:
            guard state.streams.withLock({ $0.expectsLateFrame() }) else {
                return try receiver.spend(frame, state: state)
            }
            try receiver.spendBytes(of: frame, state: state)
        case .open(let stream): try stream.handle(frame)
        }
    }
}

// Receives answers in pieces. Of the extension's messages, only answers may come in pieces. The host requested each
// answer once, and keeps at most as many bytes of an answer as the caller accepts. If no caller waits for an answer,
// its bytes are counted against the extension's budgets before its first piece.

extension RingLeader {
    /// Handles the first frame of a large answer.
    private func beginLarge(_ frame: Frame, receiver: inout HostReceiver) throws(ChannelViolation) {
        if let unfinished = receiver.large { throw .messageUnfinished(call: unfinished.first.call) }
        let (header, terms) = try LargeHeader.read(frame.payload, atMost: state.configuration.largestMessage)
        guard header.kind == .reply else { throw .unexpectedKind(header.kind.rawValue) }
        receiver.large = LargeMessage(
            header, first: frame, terms: terms, to: try target(of: header, in: frame, receiver: &receiver))
    }

    /// Handles the next piece of the large answer.
    private func goOnLarge(with frame: Frame, receiver: inout HostReceiver) throws(ChannelViolation) {
        guard let call = receiver.large?.first.call, call == frame.call, frame.payload.isEmpty, frame.descriptors == 0
        else { throw .pieceOfNothing(call: frame.call) }
        try receiver.large?.copyPiece(Hostile(UInt32(truncatingIfNeeded: frame.method)), from: receiver.arena)
        guard let whole = receiver.large?.whole, let isForNobody = receiver.large?.isForNobody else { return }
        state.tally.bytesReceived.add(UInt64(truncatingIfNeeded: receiver.large?.header.length ?? 0))
        receiver.large = nil
        // The budget for an answer that no caller waits for was spent at its first frame.
        if isForNobody {
            withdrawIfDrained(by: whole, receiver: &receiver)
            return try control.dropHandOver(whole)
        }
        state.tap?.record(received: whole)
        try handleAnswer(whole, receiver: &receiver)
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
        try handleLate(frame, bytes: Int(truncatingIfNeeded: header.length), receiver: &receiver)
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
        if removeCall(call.id) { call.resolveWhileReading(.failure(.payloadTooLarge(bytes: bytes, most: most))) }
        control.dropHandOver(of: call)
        return .nobody
    }
}
