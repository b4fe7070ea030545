internal import AnnexLinux
internal import Synchronization

// A task's call. It looks for its answer as a thread's raw call does, and needs as little while it does so. What has
// not come by then becomes a call in the table, under the same number, and the task suspends.

extension HostEndpoint {
    /// What a task's call has come to without suspending.
    enum Looked {
        /// So many bytes of the answer were copied.
        case answered(Int)
        /// Sent, and waited for like any other call from here on.
        case pending(ChannelCall)
        /// Somebody else reads, or there is no room: the general way is to be gone.
        case notSent
    }

    /// Sends a request and looks for its answer within the spin budget.
    func callLooking(
        _ method: UInt16, _ payload: RawSpan, into reply: UnsafeMutableRawBufferPointer, timeout: Duration?
    ) throws(CallFailure) -> Looked {
        try check(bytes: payload.byteCount, descriptors: 0)
        let limit = timeout.map { MonotonicClock.nanoseconds($0) }
        let deadline = timeout.map { MonotonicClock.deadline(after: $0) }
        let looked: Result<Looked, CallFailure>? = unsafe payload.withUnsafeBytes { question in
            let call = unsafe RawCall(
                method: method, payload: question, reply: reply, limit: limit, patience: limit)
            return receiving.withLockIfAvailable { receiver in
                // The task leaves before its answer comes, which has to ring then.
                receiver.withdraw()
                defer { leave(&receiver) }
                let id = receiver.rawCalls.open()
                switch send(call, id, isAttended: false) {
                case .sent: return lookLeading(for: call, id, deadline, &receiver)
                case .full: return .success(.notSent)
                case .failed(let failure): return .failure(report(failure))
                }
            }
        }
        guard let looked else { return .notSent }
        afterLeading()
        return try looked.get()
    }

    private func lookLeading(
        for call: RawCall, _ id: UInt64, _ deadline: UInt64?, _ receiver: inout HostReceiver
    ) -> Result<Looked, CallFailure> {
        do throws(ChannelViolation) {
            receiver.spinner.begin()
            let start = receiver.reader.position
            for _ in 0..<HostEndpoint.mostLooksOfATask {
                if let answer = try look(for: call, id, &receiver) { return answer.map { .answered($0) } }
                guard receiver.spinner.spin(), !receiver.reader.hasPassedARing(since: start) else { break }
            }
            return enlist(call, id, deadline)
        } catch {
            close(for: error)
            return .failure(.violated(error))
        }
    }

    /// Enters the call into the table while this thread still reads for everybody, so that no answer comes between.
    private func enlist(_ raw: RawCall, _ id: UInt64, _ deadline: UInt64?) -> Result<Looked, CallFailure> {
        calls.withLock { table in
            if let closed = table.closed { return .failure(closed) }
            let call = ChannelCall(
                id: id, method: raw.method, isPing: false, accepts: .none, deadline: deadline, endpoint: self)
            _ = table.insert(call)
            return .success(.pending(call))
        }
    }
}
