internal import AnnexLinux
internal import Synchronization

extension RingLeader {
    /// Handles every frame that is published now, up to a whole ring of them.
    /// - Returns: false where the channel is closed.
    func pump(_ receiver: inout HostReceiver) -> Bool {
        guard !state.isClosed.load(ordering: .acquiring) else { return false }
        let start = receiver.reader.taken
        do throws(ChannelViolation) {
            while !receiver.reader.hasTakenARing(since: start), let header = try receiver.reader.look() {
                try take(header, &receiver)
            }
        } catch {
            state.close(for: error)
            return false
        }
        return true
    }

    /// Takes one frame out and handles it.
    func take(_ header: CheckedHeader, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        let frame = receiver.reader.take(header)
        state.tally.framesReceived.add()
        state.tally.bytesReceived.add(UInt64(truncatingIfNeeded: frame.payload.count))
        // What comes in pieces is recorded as a whole.
        if header.kind != .large, header.kind != .piece { state.tap?.record(received: frame) }
        try handle(frame, &receiver)
        guard header.kind == .piece else { return giveBack(&receiver) }
        // The extension may wait for the last of its places.
        if receiver.giveBackAll() { state.tally.wakeUpsForRoom.add() }
    }

    @inline(__always) func giveBack(_ receiver: inout HostReceiver) {
        if receiver.giveBack() { state.tally.wakeUpsForRoom.add() }
    }

    func handle(_ frame: Frame, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        guard receiver.saidHello || frame.kind == .hello else { throw .noHello(kind: frame.kind.rawValue) }
        switch frame.kind {
        case .hello: try handleHello(frame, &receiver)
        case .reply, .failure, .pong: try handleAnswer(frame, &receiver)
        case .event:
            try receiver.spend(frame, state)
            try checkBare(frame)
            try state.deliver(ChannelEvent(method: frame.method, payload: frame.payload))
        case .request, .cancel:
            try receiver.spend(frame, state)
            try HostedRequest.handle(frame, self)
        case .open, .data, .credit, .finish, .reset: try handleStream(frame, &receiver)
        case .large: try handleLarge(frame, &receiver)
        case .piece: try handlePiece(frame, &receiver)
        case .ping: throw .unexpectedKind(frame.kind.rawValue)
        }
    }

    private func handleHello(_ frame: Frame, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        guard !receiver.saidHello else { throw .secondHello }
        try checkBare(frame)
        let said = try Hello(frame)
        receiver.saidHello = true
        receiver.attendsTasks = said.wire.contains(.everyDoorbell)
        if said.wire.contains(.staying) { sender.half.withLock { $0.framesMayStay = true } }
        state.accept(said, hasArena: sender.own.arena.places > 0)
    }

    /// A frame that belongs to no call and brings no descriptors says so in its header.
    private func checkBare(_ frame: Frame) throws(ChannelViolation) {
        guard frame.call == 0, frame.descriptors == 0 else {
            throw .malformed(kind: frame.kind.rawValue, length: frame.payload.count)
        }
    }

    func handleAnswer(_ frame: Frame, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        switch state.calls.withLock({ $0.match(frame) }) {
        case .taken(let call):
            receiver.spinner.wasAnswered()
            call.resolveWhileReading(.success(Reply(payload: frame.payload, sealed: [])))
        case .neverIssued where RawCalls.isRaw(frame.call): try handleLateRaw(frame, &receiver)
        case .neverIssued: throw .unknownCall(frame.call)
        case .late:
            try handleLate(frame, bytes: 0, &receiver)
            try control.dropHandOver(frame)
        case .open(let call):
            guard frame.method == call.method else {
                throw .wrongMethod(call: frame.call, frame.method, asked: call.method)
            }
            guard call.isPing == (frame.kind == .pong) else { throw .unexpectedKind(frame.kind.rawValue) }
            let outcome = try outcome(of: frame, for: call)
            guard takeOut(call.id) else { return }
            if !call.isPing { receiver.spinner.wasAnswered() }
            call.resolveWhileReading(outcome)
        }
    }

    /// An answer to a raw call that nobody waits for any more: whoever makes one takes the answer out himself.
    private func handleLateRaw(_ frame: Frame, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        guard receiver.rawCalls.wasMade(frame.call) else { throw .unknownCall(frame.call) }
        guard frame.descriptors == 0 else { throw .descriptorsNotAskedFor(count: 1, call: frame.call) }
        try handleLate(frame, bytes: 0, &receiver)
    }

    /// An answer that nobody waits for any more. One for each call that this side gave up is free.
    /// - Parameter bytes: how many follow in pieces.
    func handleLate(_ frame: Frame, bytes: Int, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        state.tally.lateReplies.add()
        // A task's raw call that suspended was given up in the table, any other where it was made.
        if RawCalls.isRaw(frame.call), receiver.rawCalls.expectsLateAnswer() { return }
        if state.calls.withLock({ $0.expectsLateAnswer() }) { return }
        try receiver.spendFrame()
        if bytes > 0 { try receiver.spend(bytes: bytes, at: MonotonicClock.now(), state) }
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

// Answers that come in pieces. Only answers do: they were asked for, each once, and no more is kept of one than its caller
// has said it takes. What nobody waits for costs the extension its budgets before the first of its bytes.

extension RingLeader {
    /// An answer begins.
    func handleLarge(_ frame: Frame, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        if let unfinished = receiver.large { throw .messageUnfinished(call: unfinished.first.call) }
        let (header, terms) = try LargeHeader.read(frame.payload, atMost: state.configuration.largestMessage)
        guard header.kind == .reply else { throw .unexpectedKind(header.kind.rawValue) }
        receiver.large = LargeMessage(header, frame, terms, to: try target(of: header, frame, &receiver))
    }

    /// The next bytes of the answer that has begun.
    func handlePiece(_ frame: Frame, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        guard let call = receiver.large?.first.call, call == frame.call, frame.payload.isEmpty, frame.descriptors == 0
        else { throw .pieceOfNothing(call: frame.call) }
        try receiver.large?.take(Hostile(UInt32(truncatingIfNeeded: frame.method)), of: receiver.arena)
        guard let whole = receiver.large?.whole, let isForNobody = receiver.large?.isForNobody else { return }
        state.tally.bytesReceived.add(UInt64(truncatingIfNeeded: receiver.large?.header.length ?? 0))
        receiver.large = nil
        // It was paid for when it began.
        if isForNobody { return try control.dropHandOver(whole) }
        state.tap?.record(received: whole)
        try handleAnswer(whole, &receiver)
    }

    /// Where an answer's bytes go. What is no answer to anything is refused before the first of them.
    private func target(
        of header: LargeHeader, _ frame: Frame, _ receiver: inout HostReceiver
    ) throws(ChannelViolation) -> LargeMessage.Target {
        switch state.calls.withLock({ $0.find(frame.call) }) {
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
        let most = max(call.mostReply, state.largestReplyFrame)
        let bytes = Int(truncatingIfNeeded: header.length)
        guard bytes > most else { return .own }
        if takeOut(call.id) { call.resolveWhileReading(.failure(.payloadTooLarge(bytes: bytes, most: most))) }
        control.dropHandOver(of: call)
        return .nobody
    }
}

// Streams.
extension RingLeader {
    /// A frame that belongs to a stream.
    func handleStream(_ frame: Frame, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        guard frame.descriptors == 0 else {
            throw .malformed(kind: frame.kind.rawValue, length: frame.payload.count)
        }
        if frame.kind == .open {
            try receiver.spend(frame, state)
            return try ChannelStream.accept(frame, self)
        }
        switch state.streams.withLock({ $0.find(frame.call) }) {
        case .neverOpened: throw .unknownStream(frame.call)
        case .late:
            guard state.streams.withLock({ $0.expectsLateFrame() }) else { return try receiver.spend(frame, state) }
            try receiver.spendBytes(frame, state)
        case .open(let stream): try stream.take(frame)
        }
    }
}
