internal import AnnexLinux
internal import AnnexMessages
internal import Synchronization

// A task's call. It looks for its answer as a thread's raw call does, and needs as little while it does so. What has
// not come by then becomes a call in the table, under the same number, and the task suspends.

extension HostEndpoint {
    /// What a task's call has come to without suspending.
    @usableFromInline enum Looked {
        /// So many bytes of the answer were copied.
        case answered(Int)
        /// Sent, and waited for like any other call from here on.
        case pending(ChannelCall)
        /// Somebody else reads, or there is no room, in the ring or in the table: the general way is to be gone.
        case notSent
    }

    /// Sends a request and looks for its answer within the spin budget.
    /// - Parameter mostReply: of an answer in pieces, as `ChannelCall` says.
    func callLooking(
        _ method: UInt16, _ payload: RawSpan, into reply: UnsafeMutableRawBufferPointer, timeout: Duration?,
        patience: CallPatience? = nil, mostReply: Int
    ) throws(CallFailure) -> Looked {
        guard tap == nil else { return .notSent }
        try check(bytes: payload.byteCount, descriptors: 0)
        guard !isLarge(payload.byteCount) else { return .notSent }
        let limit = timeout.map { MonotonicClock.nanoseconds($0) }
        return try unsafe payload.withUnsafeBytes { (question) throws(CallFailure) in
            let call = unsafe RawCall(
                method: method, payload: question, reply: reply, limit: limit,
                patience: limit ?? patience?.nanoseconds)
            return try lookLeading(for: call, until: limit == nil ? nil : call.deadline(), mostReply) ?? .notSent
        }
    }

    /// Nil where another thread reads.
    /// - Parameter deadline: nil for a call without a limit that the extension hears of: the clock is asked for its
    ///   patience once the call suspends.
    private func lookLeading(
        for call: RawCall, until deadline: UInt64?, _ mostReply: Int
    ) throws(CallFailure) -> Looked? {
        var leads = false
        defer { if leads { afterLeading() } }
        return try halves.withBothIfAvailable { receiver, sender in
            leads = true
            // The task leaves before its answer comes, which has to ring then.
            receiver.withdraw()
            let id = receiver.rawCalls.open()
            // The table is asked only where it was full: looking each time would cost a lock.
            return (id: id, word: receiver.tableIsFull ? nil : writeAtOnce(call, id, [.bare], &sender))
        } then: { (opened, receiver) throws(CallFailure) in
            defer { leave(&receiver) }
            if let word = opened.word {
                tell(word)
            } else {
                guard mayEnlist(&receiver), try send(call, opened.id, isAttended: false) else { return .notSent }
            }
            let id = opened.id
            receiver.spinner.begin()
            let start = receiver.reader.taken
            for _ in 0..<HostEndpoint.mostLooksOfATask {
                if let count = try look(for: call, id, &receiver) {
                    if count == HostEndpoint.comesInPieces { break }
                    return .answered(count)
                }
                guard receiver.spinner.spin(), !receiver.reader.hasTakenARing(since: start) else { break }
            }
            receiver.spinner.willSuspend()
            return .pending(try enlist(call, id, deadline ?? call.deadline(), &receiver, mostReply: mostReply))
        }
    }

    /// Whether the table has room, as far as the last that entered it has seen. The general way refuses where there is
    /// none.
    private func mayEnlist(_ receiver: inout HostReceiver) -> Bool {
        guard receiver.tableIsFull else { return true }
        receiver.tableIsFull = calls.withLock { $0.count >= configuration.mostOpenCalls }
        return !receiver.tableIsFull
    }

    /// A raw call whose answer comes in pieces is a call like any other from here on.
    func enlistLarge(
        _ raw: RawCall, _ id: UInt64, _ deadline: UInt64?, _ receiver: inout HostReceiver
    ) throws(CallFailure) -> (ChannelCall, CallerMemory?) {
        let memory = unsafe raw.workspace == nil ? CallerMemory(raw.reply) : nil
        return (
            try enlist(raw, id, deadline, &receiver, mostReply: MessageLimits.standard.bytes, memory: memory), memory
        )
    }

    /// Enters the call into the table while this thread still reads for everybody, so that no answer comes between.
    private func enlist(
        _ raw: RawCall, _ id: UInt64, _ deadline: UInt64?, _ receiver: inout HostReceiver,
        mostReply: Int, memory: CallerMemory? = nil
    ) throws(CallFailure) -> ChannelCall {
        try calls.withLock { (table) throws(CallFailure) in
            if let closed = table.closed { throw closed }
            let call = ChannelCall(
                id: id, method: raw.method, isPing: false, accepts: .none, deadline: deadline, mostReply: mostReply,
                memory: memory, endpoint: self)
            _ = table.insert(call)
            receiver.tableIsFull = table.count >= configuration.mostOpenCalls
            return call
        }
    }

    /// The same for the bytes of a request.
    nonisolated(nonsending) func look(
        for request: borrowing Request, _ timeout: Duration?
    ) async throws(CallFailure) -> Look<Reply> {
        let looked: Look<Reply>
        do throws(CallFailure) {
            looked = try lookAtOnce(for: request, timeout)
        } catch {
            await hearFirst(before: error)
            throw error
        }
        if looked.response != nil { await hearFirst() }
        return looked
    }

    private func lookAtOnce(for request: borrowing Request, _ timeout: Duration?) throws(CallFailure) -> Look<Reply> {
        let workspace = takeWorkspace()
        defer { giveBack(workspace) }
        let payload = request.payload
        switch try unsafe callLooking(
            request.method, payload.span.bytes, into: workspace.room, timeout: timeout,
            mostReply: request.mostReply ?? 0)
        {
        case .answered(let count):
            return Look(response: Reply(payload: unsafe Array(workspace.reply(count)), sealed: []))
        case .pending(let call): return Look(pending: call)
        case .notSent: return Look()
        }
    }
}
