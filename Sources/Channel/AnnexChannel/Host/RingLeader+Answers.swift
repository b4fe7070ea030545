internal import AnnexLinux
internal import Synchronization

// These methods take the leading caller's own answer, and the frames before it, out of the ring.

extension RingLeader {
    /// A caller that has published its request checks this many times for the answer. Only then does the caller check
    /// whether the extension sleeps.
    private static let earlyPolls = 16

    /// Checks for the answer before the caller reads the flag that says whether the extension sleeps. An extension that
    /// is awake usually answers within `earlyPolls` checks. Its answer proves that it has read the request, so it needs
    /// no wake-up. `SleepModelTests` covers every order of events.
    ///
    /// The caller holds the receiving lock and the sending lock, so this method only copies the answer. All other work
    /// is done after one of the locks was released. This includes the doorbell request of a leader that stops leading.
    @inline(__always) func pollEarly(
        for call: RawCall, id: UInt64, receiver: inout HostReceiver
    ) throws(CallFailure) -> Int? {
        guard receiver.asksForDoorbell else { return nil }
        receiver.spinner.begin()
        var left = RingLeader.earlyPolls
        while left > 0, receiver.spinner.spin() {
            left &-= 1
            guard receiver.reader.hasNews else { continue }
            guard let header = receiver.reader.poll(for: .reply(to: call.method), kind: .reply), header.call == id,
                receiver.saidHello
            else { return nil }
            return try reply(header, to: call, receiver: &receiver)
        }
        return nil
    }

    /// Handles the published frames up to the answer.
    @inline(__always) func poll(
        for call: RawCall, id: UInt64, receiver: inout HostReceiver
    ) throws(CallFailure) -> RawAnswer {
        guard receiver.reader.hasNews else { return .notThere }
        if let header = receiver.reader.poll(for: .reply(to: call.method), kind: .reply), header.call == id,
            receiver.saidHello
        {
            return .copied(try reply(header, to: call, receiver: &receiver))
        }
        return try receive(answerTo: call, id: id, receiver: &receiver)
    }

    @inline(never) private func receive(
        answerTo call: RawCall, id: UInt64, receiver: inout HostReceiver
    ) throws(CallFailure) -> RawAnswer {
        let answer: CheckedHeader?
        do throws(ChannelViolation) {
            answer = try find(answerTo: call, id: id, receiver: &receiver)
        } catch {
            state.close(for: error)
            throw .violated(error)
        }
        guard let answer else { return .notThere }
        switch answer.kind {
        case .reply: return .copied(try reply(answer, to: call, receiver: &receiver))
        // The answer is still in the ring. The call enters the table of calls and continues like any other call.
        case .large: return .inPieces
        default: throw failure(answer, receiver: &receiver)
        }
    }

    /// Handles the frames before the answer, but stops after as many bytes as the ring holds. So other answers and
    /// stream frames reach the callers that wait for them. Budgets limit the number of unsolicited frames.
    private func find(
        answerTo call: RawCall, id: UInt64, receiver: inout HostReceiver
    ) throws(ChannelViolation) -> CheckedHeader? {
        let start = receiver.reader.bytesRead
        while !receiver.reader.hasReadARing(since: start), let header = try receiver.reader.poll() {
            if header.call == id, receiver.saidHello {
                try call.check(header)
                return header
            }
            try readAndHandle(header, receiver: &receiver)
        }
        return nil
    }

    @inline(__always) private func reply(
        _ header: CheckedHeader, to call: RawCall, receiver: inout HostReceiver
    ) throws(CallFailure) -> Int {
        let length = Int(truncatingIfNeeded: header.length)
        let fits = length <= call.room
        if fits, let target = unsafe call.reply.baseAddress {
            // SAFETY: the length was just compared with the caller's room.
            unsafe receiver.reader.copy(header, to: target)
        }
        receiver.reader.pass(header)
        receiver.rawCalls.recordAnswer(to: header.call)
        receiver.recordAnswer()
        state.tally.framesReceived.add()
        state.tally.bytesReceived.add(UInt64(truncatingIfNeeded: length))
        giveBack(&receiver)
        guard fits else { throw .payloadTooLarge(bytes: length, most: call.room) }
        return length
    }

    @inline(never) private func failure(_ header: CheckedHeader, receiver: inout HostReceiver) -> CallFailure {
        let frame = receiver.reader.read(header)
        state.tally.framesReceived.add()
        giveBack(&receiver)
        do throws(ChannelViolation) {
            return try CallFailure(frame)
        } catch {
            state.close(for: error)
            return .violated(error)
        }
    }
}
