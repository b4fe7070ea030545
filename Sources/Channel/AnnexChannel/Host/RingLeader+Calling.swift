internal import AnnexLinux
internal import Synchronization

// The fast way to make a call. If no other thread reads the ring, the caller becomes the leader. Its call then needs no
// entry in the table of calls, no object and no allocation. A thread reads the ring until its answer arrives. A task
// reads the ring while reading is cheaper than suspending. A call that was sent this way may still enter the table,
// under the same number. It does so if its task suspends, if its answer comes in pieces, or if its thread has to resume
// other tasks. If another thread reads, or if the call carries more than bytes (such as descriptors), the call cannot
// be sent this way. In these cases, the call enters the table before it is sent.

extension RingLeader {
    /// Sends a call as the leader, and takes its answer if the answer arrives while this caller leads.
    /// - Parameter deadline: when the call's time is over; nil until the clock is read. Reading the clock costs a fifth
    ///   of a call.
    @inline(__always) func call(
        _ call: RawCall, for caller: RawCall.Caller, until deadline: inout UInt64?
    ) throws(CallFailure) -> LedCall {
        struct Opened {
            let id: UInt64
            let isAttended: Bool
            /// The word on which the extension may sleep; nil if the call was not published at once.
            let word: WritableWord?
        }
        var leads = false
        defer { if leads { afterLeading() } }
        return try sender.halves.withBothIfAvailable {
            (receiver, half) throws(CallFailure) -> LockPair<HostReceiver, HostSender>.Both<Opened, LedCall> in
            leads = true
            let isAttended = caller == .thread || receiver.supportsEveryDoorbell
            // This caller reads the ring, so its answer needs no doorbell. If the host's flag asks for doorbells, the
            // extension rings for the answers to unattended calls. It rings for the answers to attended calls only if
            // a suspended task's attended call was open when the flag was set.
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
        // If the table was full at the last check, `mayEnlist` checks the table again before the call is sent.
        if caller == .task, receiver.tableIsFull { return nil }
        return sender.writeAtOnce(
            call, id: id, marks: isAttended ? [.bare, .attended] : .bare, sender: &half,
            known: receiver.rawCalls.answered)
    }

    /// Whether the table probably has room. Because a check takes a lock, the table is checked only if it was full at
    /// the last check. If it has no room, the call goes the general way through the table, which rejects the call.
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
            // Answers to calls of tasks arrived before this thread's own answer. The thread resumes those tasks after
            // it has released the lock. Its own call then continues through the table.
            if keepsTasks {
                return .pending(try enlist(call, id: id, for: .thread, until: deadline, receiver: &receiver))
            }
            if mustSleep { sleep(&receiver, until: deadline) { mustStop } }
            guard let failure = end(by: deadline) else { continue }
            // An answer that was published before the wait ended still counts.
            if case .copied(let count) = try poll(for: call, id: id, receiver: &receiver) { return .answered(count) }
            throw forgo(id, with: failure, receiver: &receiver)
        }
    }

    /// Like `awaitAnswer`, for a task: the task suspends when further checks cost more than suspending.
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
        // SYNC: `stepDown` asks for the doorbell, then executes a fence, and then checks the ring once more. The check
        // is needed, because the extension rings no doorbell for frames that it published before `stepDown` asked.
        if isAttended { stepDown(&receiver) }
        return .pending(entered)
    }

    /// Gives the call up and notifies the extension.
    private func forgo(_ id: UInt64, with failure: CallFailure, receiver: inout HostReceiver) -> CallFailure {
        receiver.rawCalls.forgo()
        sender.sendCancel(id)
        return failure
    }

    /// Why the caller must stop waiting; nil if the caller may continue to wait.
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

    /// Waits on this thread for the answer to a call in the table. The answer may come in pieces.
    /// - Returns: the answer's length.
    func outcome(of call: ChannelCall, for raw: RawCall) throws(CallFailure) -> Int {
        defer { call.memory?.close() }
        if state.loop.isCurrent { call.giveUp(with: .onEventLoop) }
        follow(call)
        return try raw.store(call.outcome().get().payload, in: call.memory)
    }

    /// Enters a call that has not been sent yet.
    func enter(
        method: UInt16, isPing: Bool = false, accepts: DescriptorAllowance = .none, deadline: UInt64?, mostReply: Int,
        memory: CallerMemory? = nil
    ) throws(CallFailure) -> ChannelCall {
        try state.calls.withLock { (table) throws(CallFailure) in
            // A ping may always enter, even if the table is full.
            if let reason = table.rejection(atMost: isPing ? .max : state.configuration.mostOpenCalls) { throw reason }
            let call = ChannelCall(
                id: table.nextID(), method: method, isPing: isPing, accepts: accepts, deadline: deadline,
                mostReply: mostReply, memory: memory, leader: self)
            // `setPassRights` is called under the table's lock, so that its calls have the same order as the table's
            // changes.
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
    /// - Parameter isForgone: whether an answer may still arrive. The table then expects one late answer.
    func removeCall(_ id: UInt64, isForgone: Bool = false) -> Bool {
        state.calls.withLock { table in
            let (wasThere, nobodyAccepts) = table.removeCall(id)
            if wasThere, isForgone { table.forgo() }
            if nobodyAccepts { control.setPassRights(false) }
            return wasThere
        }
    }
}
