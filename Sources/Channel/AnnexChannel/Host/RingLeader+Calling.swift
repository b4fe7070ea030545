internal import AnnexLinux
internal import Synchronization

// The fast way to make a call. If no other thread reads the ring, the caller becomes the leader. Its call then needs no
// entry in the table, no object and no allocation. A thread reads the ring until its answer arrives. A task reads it
// for as long as reading is cheaper than suspending. Such a call enters the table, under the same number, if its task
// suspends, if its answer comes in pieces, or if its thread has to release the lock for others. A call that cannot be
// sent this way enters the table before it is sent. That happens if another thread reads or if the call carries more
// than bytes.

extension RingLeader {
    /// Sends a call as the leader, and takes its answer if that arrives in time.
    /// - Parameter deadline: when the call's time is over; nil until the clock is read, which costs a fifth of a call.
    @inline(__always) func call(
        _ call: RawCall, for caller: RawCall.Caller, until deadline: inout UInt64?
    ) throws(CallFailure) -> LedCall {
        struct Opened {
            let id: UInt64
            let isAttended: Bool
            /// The word to wake the extension on, if the call was published at once.
            let word: WritableWord?
        }
        var leads = false
        defer { if leads { afterLeading() } }
        return try sender.halves.withBothIfAvailable {
            (receiver, half) throws(CallFailure) -> LockPair<HostReceiver, HostSender>.Both<Opened, LedCall> in
            leads = true
            let isAttended = caller == .thread || receiver.supportsEveryDoorbell
            // This caller reads the ring, so a doorbell for its answer is needless. An answer without the mark
            // `attended` rings whenever the flag asks for a doorbell. An attended answer rings only if the flag asks
            // for every doorbell. It does so if a suspended task's attended call was open when the flag was set.
            if caller == .thread ? receiver.asksForEvery : !isAttended { receiver.withdraw() }
            let id = receiver.rawCalls.open()
            let word = writeAtOnce(
                call, id: id, for: caller, isAttended: isAttended, receiver: &receiver, sender: &half)
            if word != nil, isAttended, let count = try pollEarly(for: call, id: id, receiver: &receiver) {
                return .done(.answered(count))
            }
            return .goesOn(Opened(id: id, isAttended: isAttended, word: word))
        } then: { (opened, receiver) throws(CallFailure) in
            defer { leave(&receiver) }
            if let word = opened.word {
                sender.wake(word)
            } else {
                guard caller == .thread || mayEnlist(&receiver),
                    try sender.send(call, id: opened.id, isAttended: opened.isAttended)
                else { return .notSent }
            }
            switch caller {
            case .thread: return try awaitAnswer(to: call, id: opened.id, until: &deadline, receiver: &receiver)
            case .task:
                return try pollForAnswer(
                    to: call, id: opened.id, isAttended: opened.isAttended, until: deadline, receiver: &receiver)
            }
        } ?? .notSent
    }

    @inline(__always) private func writeAtOnce(
        _ call: RawCall, id: UInt64, for caller: RawCall.Caller, isAttended: Bool,
        receiver: inout HostReceiver, sender half: inout HostSender
    ) -> WritableWord? {
        // The table is checked only if it was full last time, because each check takes a lock.
        if caller == .task, receiver.tableIsFull { return nil }
        return sender.writeAtOnce(
            call, id: id, marks: isAttended ? [.bare, .attended] : .bare, sender: &half,
            known: receiver.rawCalls.answered)
    }

    /// Whether the table probably has room, as of the last call that entered it. If it has none, the general way
    /// through the table rejects the call.
    private func mayEnlist(_ receiver: inout HostReceiver) -> Bool {
        guard receiver.tableIsFull else { return true }
        receiver.tableIsFull = state.calls.withLock { $0.count >= state.configuration.mostOpenCalls }
        return !receiver.tableIsFull
    }

    /// Reads the ring for all callers until the answer arrives, the call's time is over or the channel ends.
    private func awaitAnswer(
        to call: RawCall, id: UInt64, until deadline: inout UInt64?, receiver: inout HostReceiver
    ) throws(CallFailure) -> LedCall {
        receiver.spinner.begin()
        while true {
            switch try poll(for: call, id: id, receiver: &receiver) {
            case .copied(let count): return .answered(count)
            case .inPieces:
                if deadline == nil { deadline = call.deadline() }
                return .pending(try enlist(call, id: id, for: .thread, until: deadline, receiver: &receiver))
            case .notThere: break
            }
            let mustSleep = !receiver.spinner.spin()
            guard mustSleep || receiver.spinner.isTimeForFullCheck else { continue }
            if state.loop.isCurrent { throw forgo(id, with: .onEventLoop, receiver: &receiver) }
            if deadline == nil { deadline = call.deadline() }
            // Answers to the calls of other tasks came first. Those tasks are resumed after this thread has released
            // the lock. Its own call then goes on through the table.
            if keepsTasks {
                return .pending(try enlist(call, id: id, for: .thread, until: deadline, receiver: &receiver))
            }
            if mustSleep { sleep(&receiver, until: deadline) { mustStop } }
            guard let failure = end(by: deadline) else { continue }
            // An answer that was published before the end still counts.
            if case .copied(let count) = try poll(for: call, id: id, receiver: &receiver) { return .answered(count) }
            throw forgo(id, with: failure, receiver: &receiver)
        }
    }

    /// Like `awaitAnswer`, for a task: it suspends when checking further is not worth it.
    private func pollForAnswer(
        to call: RawCall, id: UInt64, isAttended: Bool, until deadline: UInt64?, receiver: inout HostReceiver
    ) throws(CallFailure) -> LedCall {
        receiver.spinner.begin()
        let start = receiver.reader.bytesRead
        var left = RingLeader.mostPollsOfATask
        while left > 0 {
            left &-= 1
            let answer = try poll(for: call, id: id, receiver: &receiver)
            if case .copied(let count) = answer { return .answered(count) }
            guard case .notThere = answer, receiver.spinner.spin(), !receiver.reader.hasReadARing(since: start)
            else { break }
        }
        receiver.spinner.willSuspend()
        let entered = try enlist(
            call, id: id, for: .task, isAttended: isAttended, until: deadline ?? call.deadline(), receiver: &receiver)
        // SYNC: asks for the doorbell, fences and checks once more, because frames published earlier ring no doorbell.
        if isAttended { stepDown(&receiver) }
        return .pending(entered)
    }

    /// Gives the call up and notifies the extension.
    private func forgo(_ id: UInt64, with failure: CallFailure, receiver: inout HostReceiver) -> CallFailure {
        receiver.rawCalls.forgo()
        sender.sendCancel(id)
        return failure
    }

    /// Why the caller must stop waiting; nil if it may go on waiting.
    private func end(by deadline: UInt64?) -> CallFailure? {
        if mustStop { return state.closedReason }
        guard let deadline, MonotonicClock.now() >= deadline else { return nil }
        return .deadlineExceeded
    }
}

extension RingLeader {
    /// Makes a call through the table and waits on this thread.
    /// - Returns: the answer's length.
    func callInTable(_ raw: RawCall, until deadline: UInt64?) throws(CallFailure) -> Int {
        guard !state.loop.isCurrent else { throw .onEventLoop }
        let call = try enter(
            method: raw.method, deadline: deadline, mostReply: raw.mostReply, memory: raw.memory(for: .thread))
        let header = FrameHeader(kind: .request, method: raw.method, call: call.id)
        let terms = RequestTerms(limit: raw.limit ?? .max)
        let isLarge = unsafe state.isLarge(raw.payload.count)
        let frame = unsafe OutgoingBytes(
            header: header, terms: terms, payload: raw.payload, transfer: isLarge ? LargeTransfer() : nil)
        do throws(CallFailure) {
            try sender.send(frame, until: deadline) {
                unsafe state.tap?.record(sent: header, terms: terms, payload: raw.payload, handedOver: [])
                return nil
            }
        } catch {
            call.giveUp(with: error, tell: false)
        }
        return try outcome(of: call, for: raw)
    }

    /// Waits on this thread for an answer that may come in pieces.
    /// - Returns: the answer's length.
    func outcome(of call: ChannelCall, for raw: RawCall) throws(CallFailure) -> Int {
        defer { call.memory?.close() }
        if state.loop.isCurrent { call.giveUp(with: .onEventLoop) }
        follow(call)
        return try raw.store(call.outcome().get().payload, in: call.memory)
    }

    /// Enters a call that is not sent yet.
    func enter(
        method: UInt16, isPing: Bool = false, accepts: DescriptorAllowance = .none, deadline: UInt64?, mostReply: Int,
        memory: CallerMemory? = nil
    ) throws(CallFailure) -> ChannelCall {
        try state.calls.withLock { (table) throws(CallFailure) in
            // A ping may always enter, however many calls wait.
            if let reason = table.rejection(atMost: isPing ? .max : state.configuration.mostOpenCalls) { throw reason }
            let call = ChannelCall(
                id: table.nextID(), method: method, isPing: isPing, accepts: accepts, deadline: deadline,
                mostReply: mostReply, memory: memory, leader: self)
            // Inside the lock, so that the calls of `setPassRights` have the order of the table's changes.
            if table.insert(call) { control.setPassRights(true) }
            return call
        }
    }

    /// Enters a call that was already sent. This thread still leads, so no other thread can read the answer before the
    /// call is entered.
    private func enlist(
        _ raw: RawCall, id: UInt64, for caller: RawCall.Caller, isAttended: Bool = false, until deadline: UInt64?,
        receiver: inout HostReceiver
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

    /// Takes a call out of the table. A caller that gets true must resolve the call.
    /// - Parameter isForgone: whether an answer may still come. That answer is then late.
    func removeCall(_ id: UInt64, isForgone: Bool = false) -> Bool {
        state.calls.withLock { table in
            let (wasThere, nobodyAccepts) = table.removeCall(id)
            if wasThere, isForgone { table.forgo() }
            if nobodyAccepts { control.setPassRights(false) }
            return wasThere
        }
    }
}
