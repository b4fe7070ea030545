internal import AnnexLinux
internal import Synchronization

extension HostEndpoint {
    /// Reads for everybody until the raw call's answer is there, its time is over or the channel ends.
    func awaitAnswer(to call: RawCall, _ id: UInt64, _ receiver: inout HostReceiver) -> RawCall.Answer {
        // Asking the clock costs a fifth of a call, and most answers come before anybody would look at it.
        var deadline: UInt64?
        do throws(ChannelViolation) {
            receiver.spinner.begin()
            while true {
                if let answer = try look(for: call, id, &receiver) { return answer }
                let mustSleep = !receiver.spinner.spin()
                guard mustSleep || receiver.spinner.isTimeToLookAround else { continue }
                if deadline == nil, let patience = call.patience {
                    deadline = MonotonicClock.deadline(after: .nanoseconds(Int64(clamping: patience)))
                }
                if mustSleep { sleep(&receiver, until: deadline) { mustStop } }
                guard let failure = end(by: deadline) else { continue }
                // What was published before the end still counts.
                return try look(for: call, id, &receiver) ?? giveUp(id, failure, &receiver)
            }
        } catch {
            close(for: error)
            return .failure(.violated(error))
        }
    }

    /// Takes out what is published, up to the answer or a whole ring. Frames that others wait for are handled on the
    /// way; those that nobody waits for are bounded by their budget.
    func look(
        for call: RawCall, _ id: UInt64, _ receiver: inout HostReceiver
    ) throws(ChannelViolation) -> RawCall.Answer? {
        let start = receiver.reader.position
        while !receiver.reader.hasPassedARing(since: start), let header = try receiver.reader.look() {
            guard header.call == id, receiver.saidHello else {
                try take(header, &receiver)
                continue
            }
            guard header.method == call.method else {
                throw .wrongMethod(call: id, header.method, asked: call.method)
            }
            guard header.descriptors == 0 else {
                throw .descriptorsNotAskedFor(count: Int(truncatingIfNeeded: header.descriptors), call: id)
            }
            switch header.kind {
            case .reply: return reply(header, to: call, &receiver)
            case .failure: return try failure(header, &receiver)
            default: throw .unexpectedKind(header.kind.rawValue)
            }
        }
        return nil
    }

    private func reply(
        _ header: CheckedHeader, to call: RawCall, _ receiver: inout HostReceiver
    ) -> RawCall.Answer {
        let length = Int(truncatingIfNeeded: header.length)
        let fits = length <= call.room
        if fits, let target = unsafe call.reply.baseAddress {
            // SAFETY: held against the caller's room just now.
            unsafe receiver.reader.copy(header, to: target)
        }
        receiver.reader.pass(header)
        tally.framesReceived.add()
        tally.bytesReceived.add(UInt64(truncatingIfNeeded: length))
        giveBack(&receiver)
        return fits ? .success(length) : .failure(.payloadTooLarge(bytes: length, most: call.room))
    }

    private func failure(
        _ header: CheckedHeader, _ receiver: inout HostReceiver
    ) throws(ChannelViolation) -> RawCall.Answer {
        let said = try failure(receiver.reader.take(header))
        tally.framesReceived.add()
        giveBack(&receiver)
        return .failure(said)
    }

    /// Nobody waits for the answer any more; the extension is told.
    private func giveUp(
        _ id: UInt64, _ failure: CallFailure, _ receiver: inout HostReceiver
    ) -> RawCall.Answer {
        receiver.rawCalls.forgo()
        sendCancel(id)
        return .failure(failure)
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
