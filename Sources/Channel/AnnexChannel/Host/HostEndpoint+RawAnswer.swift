internal import AnnexLinux
internal import Synchronization

extension HostEndpoint {
    /// In a count's place: the answer is larger than a frame, and nothing of it has been taken yet.
    static let comesInPieces = -1

    /// Reads for everybody until the raw call's answer is there, its time is over or the channel ends.
    /// - Parameter deadline: nil at first, and where the answer comes before anybody would look at the clock, as most do:
    ///   asking it costs a fifth of a call.
    /// - Returns: how many bytes the answer has, or `comesInPieces`.
    func awaitAnswer(
        to call: RawCall, _ id: UInt64, until deadline: inout UInt64?, _ receiver: inout HostReceiver
    ) throws(CallFailure) -> Int {
        receiver.spinner.begin()
        while true {
            if let count = try look(for: call, id, &receiver) { return count }
            let mustSleep = !receiver.spinner.spin()
            guard mustSleep || receiver.spinner.isTimeToLookAround else { continue }
            leaveAnsweredToLoop()
            if loop.isCurrent { throw giveUp(id, .onEventLoop, &receiver) }
            if deadline == nil { deadline = call.deadline() }
            if mustSleep { sleep(&receiver, until: deadline) { mustStop } }
            guard let failure = end(by: deadline) else { continue }
            // What was published before the end still counts.
            if let count = try look(for: call, id, &receiver) { return count }
            throw giveUp(id, failure, &receiver)
        }
    }

    /// Takes out what is published, up to the answer.
    @inline(__always) func look(
        for call: RawCall, _ id: UInt64, _ receiver: inout HostReceiver
    ) throws(CallFailure) -> Int? {
        guard receiver.reader.hasNews else { return nil }
        if let header = receiver.reader.look(for: .reply(to: call.method), .reply), header.call == id,
            receiver.saidHello
        {
            return try reply(header, to: call, &receiver)
        }
        return try take(answerTo: call, id, &receiver)
    }

    @inline(never) private func take(
        answerTo call: RawCall, _ id: UInt64, _ receiver: inout HostReceiver
    ) throws(CallFailure) -> Int? {
        let answer: CheckedHeader?
        do throws(ChannelViolation) {
            answer = try find(answerTo: call, id, &receiver)
        } catch {
            close(for: error)
            throw .violated(error)
        }
        guard let answer else { return nil }
        guard answer.kind == .reply else {
            // Left where it is: from here on it is a call like any other.
            if answer.kind == .large { return HostEndpoint.comesInPieces }
            throw failure(answer, &receiver)
        }
        return try reply(answer, to: call, &receiver)
    }

    /// Handles what lies before the answer, at most a ring's worth. Frames that others wait for are handled on the way;
    /// those that nobody waits for are bounded by their budget.
    @inline(__always) private func find(
        answerTo call: RawCall, _ id: UInt64, _ receiver: inout HostReceiver
    ) throws(ChannelViolation) -> CheckedHeader? {
        guard let header = try receiver.reader.look() else { return nil }
        if header.call == id, receiver.saidHello {
            try check(header, answers: call)
            return header
        }
        return try findBehindOthers(call, id, &receiver)
    }

    @inline(never) private func findBehindOthers(
        _ call: RawCall, _ id: UInt64, _ receiver: inout HostReceiver
    ) throws(ChannelViolation) -> CheckedHeader? {
        let start = receiver.reader.taken
        while !receiver.reader.hasTakenARing(since: start), let header = try receiver.reader.look() {
            if header.call == id, receiver.saidHello {
                try check(header, answers: call)
                return header
            }
            try take(header, &receiver)
        }
        return nil
    }

    @inline(__always) private func check(
        _ header: CheckedHeader, answers call: RawCall
    ) throws(ChannelViolation) {
        guard header.method == call.method else {
            throw .wrongMethod(call: header.call, header.method, asked: call.method)
        }
        guard header.descriptors == 0 else {
            throw .descriptorsNotAskedFor(count: Int(truncatingIfNeeded: header.descriptors), call: header.call)
        }
        guard header.kind == .reply || header.kind == .failure || header.kind == .large else {
            throw .unexpectedKind(header.kind.rawValue)
        }
    }

    @inline(__always) private func reply(
        _ header: CheckedHeader, to call: RawCall, _ receiver: inout HostReceiver
    ) throws(CallFailure) -> Int {
        let length = Int(truncatingIfNeeded: header.length)
        let fits = length <= call.room
        if fits, let target = unsafe call.reply.baseAddress {
            // SAFETY: held against the caller's room just now.
            unsafe receiver.reader.copy(header, to: target)
        }
        receiver.reader.pass(header)
        receiver.rawCalls.take(header.call)
        tally.framesReceived.add()
        tally.bytesReceived.add(UInt64(truncatingIfNeeded: length))
        giveBack(&receiver)
        guard fits else { throw .payloadTooLarge(bytes: length, most: call.room) }
        return length
    }

    @inline(never) private func failure(_ header: CheckedHeader, _ receiver: inout HostReceiver) -> CallFailure {
        let frame = receiver.reader.take(header)
        tally.framesReceived.add()
        giveBack(&receiver)
        do throws(ChannelViolation) {
            return try failure(frame)
        } catch {
            close(for: error)
            return .violated(error)
        }
    }

    /// Nobody waits for the answer any more; the extension is told.
    private func giveUp(_ id: UInt64, _ failure: CallFailure, _ receiver: inout HostReceiver) -> CallFailure {
        receiver.rawCalls.forgo()
        sendCancel(id)
        return failure
    }

    private var mustStop: Bool {
        isClosed.load(ordering: .sequentiallyConsistent) || isEnding.load(ordering: .sequentiallyConsistent)
    }

    /// Why the caller waits no longer, if it does not.
    private func end(by deadline: UInt64?) -> CallFailure? {
        if mustStop { return closedReason }
        guard let deadline, MonotonicClock.now() >= deadline else { return nil }
        return .deadlineExceeded
    }
}
