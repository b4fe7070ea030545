internal import AnnexLinux
internal import Synchronization

// The one way to make a call. A caller that finds nobody else reading leads: it needs no entry in the table of calls, no
// object and no memory. A thread then reads until its answer is there, a task for as long as that is cheaper than
// suspending. A call enters the table, under the same number, when its task suspends, its answer comes in pieces, or its
// thread has to let go of the lock for others. A call that was not sent, because another thread reads or because it brings
// more than bytes, enters the table first.

extension RingLeader {
    /// Sends a call as the leader, and takes its answer out where that comes in time.
    /// - Parameter deadline: when the call's time is over; nil while the clock has not been asked, which costs a fifth of
    ///   a call.
    @inline(__always) func call(
        _ call: RawCall, for caller: RawCall.Caller, until deadline: inout UInt64?
    ) throws(CallFailure) -> LedCall {
        struct Opened {
            let id: UInt64
            let isAttended: Bool
            /// What the extension sleeps on, if the call was published.
            let word: WritableWord?
        }
        var leads = false
        defer { if leads { afterLeading() } }
        return try sender.halves.withBothIfAvailable {
            (receiver, half) throws(CallFailure) -> LockPair<HostReceiver, HostSender>.Both<Opened, LedCall> in
            leads = true
            let isAttended = caller == .thread || receiver.attendsTasks
            // Without the mark a task's answer rings, because the task may have suspended. With it the answers of all
            // callers ring while some task has.
            if caller == .thread ? receiver.asksForEvery : !isAttended { receiver.withdraw() }
            let id = receiver.rawCalls.open()
            let word = writeAtOnce(call, id, for: caller, isAttended, &receiver, &half)
            if word != nil, isAttended, let count = try lookEarly(for: call, id, &receiver) {
                return .done(.answered(count))
            }
            return .goesOn(Opened(id: id, isAttended: isAttended, word: word))
        } then: { (opened, receiver) throws(CallFailure) in
            defer { leave(&receiver) }
            if let word = opened.word {
                sender.wake(word)
            } else {
                guard caller == .thread || mayEnlist(&receiver),
                    try sender.send(call, opened.id, isAttended: opened.isAttended)
                else { return .notSent }
            }
            switch caller {
            case .thread: return try awaitAnswer(to: call, opened.id, until: &deadline, &receiver)
            case .task:
                return try lookForAnswer(to: call, opened.id, opened.isAttended, until: deadline, &receiver)
            }
        } ?? .notSent
    }

    @inline(__always) private func writeAtOnce(
        _ call: RawCall, _ id: UInt64, for caller: RawCall.Caller, _ isAttended: Bool,
        _ receiver: inout HostReceiver, _ half: inout HostSender
    ) -> WritableWord? {
        // The table is asked only where it was full: looking each time would cost a lock.
        if caller == .task, receiver.tableIsFull { return nil }
        return sender.writeAtOnce(
            call, id, isAttended ? [.bare, .attended] : .bare, &half, known: receiver.rawCalls.answered)
    }

    /// Whether the table has room, as far as the last that entered it has seen. The way through the table refuses where
    /// there is none.
    private func mayEnlist(_ receiver: inout HostReceiver) -> Bool {
        guard receiver.tableIsFull else { return true }
        receiver.tableIsFull = state.calls.withLock { $0.count >= state.configuration.mostOpenCalls }
        return !receiver.tableIsFull
    }

    /// Reads for everybody until the answer is there, its time is over or the channel ends.
    private func awaitAnswer(
        to call: RawCall, _ id: UInt64, until deadline: inout UInt64?, _ receiver: inout HostReceiver
    ) throws(CallFailure) -> LedCall {
        receiver.spinner.begin()
        while true {
            switch try look(for: call, id, &receiver) {
            case .copied(let count): return .answered(count)
            case .inPieces:
                if deadline == nil { deadline = call.deadline() }
                return .pending(try enlist(call, id, for: .thread, until: deadline, &receiver))
            case .notThere: break
            }
            let mustSleep = !receiver.spinner.spin()
            guard mustSleep || receiver.spinner.isTimeToLookAround else { continue }
            if state.loop.isCurrent { throw forgo(id, .onEventLoop, &receiver) }
            if deadline == nil { deadline = call.deadline() }
            // Other tasks' answers came first: they are resumed once the lock is let go of, and this call goes on after that.
            if keepsTasks { return .pending(try enlist(call, id, for: .thread, until: deadline, &receiver)) }
            if mustSleep { sleep(&receiver, until: deadline) { mustStop } }
            guard let failure = end(by: deadline) else { continue }
            // What was published before the end still counts.
            if case .copied(let count) = try look(for: call, id, &receiver) { return .answered(count) }
            throw forgo(id, failure, &receiver)
        }
    }

    /// The same for a task, which suspends when looking on is not worth it.
    private func lookForAnswer(
        to call: RawCall, _ id: UInt64, _ isAttended: Bool, until deadline: UInt64?, _ receiver: inout HostReceiver
    ) throws(CallFailure) -> LedCall {
        receiver.spinner.begin()
        let start = receiver.reader.taken
        var left = RingLeader.mostLooksOfATask
        while left > 0 {
            left &-= 1
            let answer = try look(for: call, id, &receiver)
            if case .copied(let count) = answer { return .answered(count) }
            guard case .notThere = answer, receiver.spinner.spin(), !receiver.reader.hasTakenARing(since: start)
            else { break }
        }
        receiver.spinner.willSuspend()
        let entered = try enlist(
            call, id, for: .task, isAttended: isAttended, until: deadline ?? call.deadline(), &receiver)
        // SYNC: asks for the doorbell, fences and looks once more: what was published before rings nobody.
        if isAttended { stepDown(&receiver) }
        return .pending(entered)
    }

    /// Nobody waits for the answer any more; the extension is told.
    private func forgo(_ id: UInt64, _ failure: CallFailure, _ receiver: inout HostReceiver) -> CallFailure {
        receiver.rawCalls.forgo()
        sender.sendCancel(id)
        return failure
    }

    /// Why the caller waits no longer, if it does not.
    private func end(by deadline: UInt64?) -> CallFailure? {
        if mustStop { return state.closedReason }
        guard let deadline, MonotonicClock.now() >= deadline else { return nil }
        return .deadlineExceeded
    }
}

extension RingLeader {
    /// Calls through the table and waits on this thread.
    /// - Returns: the answer's length.
    func callInTable(_ raw: RawCall, until deadline: UInt64?) throws(CallFailure) -> Int {
        guard !state.loop.isCurrent else { throw .onEventLoop }
        let call = try enter(
            method: raw.method, deadline: deadline, mostReply: raw.mostReply, memory: raw.memory(for: .thread))
        let header = FrameHeader(kind: .request, method: raw.method, call: call.id)
        let terms = RequestTerms(limit: raw.limit ?? .max)
        let isLarge = unsafe state.isLarge(raw.payload.count)
        let frame = unsafe OutgoingBytes(header, terms, raw.payload, isLarge ? LargeTransfer() : nil)
        do throws(CallFailure) {
            try sender.send(frame, until: deadline) {
                unsafe state.tap?.record(sent: header, terms, raw.payload, [])
                return nil
            }
        } catch {
            call.giveUp(with: error, tell: false)
        }
        return try outcome(of: call, for: raw)
    }

    /// Waits on this thread for an answer that may come in pieces.
    func outcome(of call: ChannelCall, for raw: RawCall) throws(CallFailure) -> Int {
        defer { call.memory?.close() }
        if state.loop.isCurrent { call.giveUp(with: .onEventLoop) }
        follow(call)
        return try raw.take(call.outcome().get().payload, in: call.memory)
    }

    /// Enters a call that is not sent yet.
    func enter(
        method: UInt16, isPing: Bool = false, accepts: DescriptorAllowance = .none, deadline: UInt64?, mostReply: Int,
        memory: CallerMemory? = nil
    ) throws(CallFailure) -> ChannelCall {
        try state.calls.withLock { (table) throws(CallFailure) in
            // A sign of life is asked for however many calls wait.
            if let reason = table.refusal(atMost: isPing ? .max : state.configuration.mostOpenCalls) { throw reason }
            let call = ChannelCall(
                id: table.nextID(), method: method, isPing: isPing, accepts: accepts, deadline: deadline,
                mostReply: mostReply, memory: memory, leader: self)
            // Inside the lock, so that the order of switching is the order of the table.
            if table.insert(call) { control.setPassRights(true) }
            return call
        }
    }

    /// Enters a call that was sent while this thread still reads for everybody, so that no answer comes between.
    private func enlist(
        _ raw: RawCall, _ id: UInt64, for caller: RawCall.Caller, isAttended: Bool = false, until deadline: UInt64?,
        _ receiver: inout HostReceiver
    ) throws(CallFailure) -> ChannelCall {
        try state.calls.withLock { (table) throws(CallFailure) in
            if let closed = table.closed { throw closed }
            let call = ChannelCall(
                id: id, method: raw.method, isPing: false, accepts: .none, deadline: deadline,
                mostReply: raw.mostReply, memory: raw.memory(for: caller), isAttended: isAttended, leader: self)
            _ = table.insert(call)
            receiver.tableIsFull = table.count >= state.configuration.mostOpenCalls
            return call
        }
    }

    /// Takes a call out of the table; whoever gets true resolves it.
    /// - Parameter isForgone: whether an answer may still come, which nobody waits for.
    func takeOut(_ id: UInt64, isForgone: Bool = false) -> Bool {
        state.calls.withLock { table in
            let (wasThere, nobodyAccepts) = table.takeOut(id)
            if wasThere, isForgone { table.forgo() }
            if nobodyAccepts { control.setPassRights(false) }
            return wasThere
        }
    }
}
