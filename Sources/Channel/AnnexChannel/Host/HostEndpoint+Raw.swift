internal import AnnexLinux
internal import AnnexMessages
internal import Synchronization

// Calls and posts of bare bytes. A caller that finds nobody else reading leads: it needs no entry in the table of
// calls, no object and no memory. Whoever comes second goes the general way.

extension HostEndpoint {
    /// Calls the extension and waits for its answer on this thread, which must not be the event loop's. Allocates
    /// nothing while no other thread calls through the same channel. What the extension sent before its answer has been
    /// heard by then.
    /// - Parameters:
    ///   - payload: copied; at most `largestPayload`.
    ///   - reply: where the answer is copied to, whose bytes are the extension's: nothing is known but their number.
    ///   - timeout: how long to wait at most; nil: as long as the channel lives.
    /// - Returns: the answer's length.
    /// - Throws: `.payloadTooLarge` also if the answer has more bytes than `reply`; `.onEventLoop` on the event loop's
    ///   thread, unless the answer comes at once.
    public func callAndWait(
        _ method: UInt16, _ payload: RawSpan, into reply: inout MutableRawSpan, timeout: Duration? = nil
    ) throws(CallFailure) -> Int {
        try callRaw(method, payload, into: &reply, timeout: timeout, patience: nil)
    }

    /// - Parameters:
    ///   - patience: how long to wait at most without telling the extension so; nil: as `timeout` says.
    ///   - workspace: takes an answer that is longer than `reply`.
    func callRaw(
        _ method: UInt16, _ payload: RawSpan, into reply: inout MutableRawSpan, timeout: Duration?,
        patience: CallPatience?, workspace: CallWorkspace? = nil
    ) throws(CallFailure) -> Int {
        try check(bytes: payload.byteCount, descriptors: 0)
        let limit = timeout.map { MonotonicClock.nanoseconds($0) }
        let patience = limit ?? patience?.nanoseconds
        var deadline: UInt64?
        do throws(CallFailure) {
            let count = try unsafe payload.withUnsafeBytes { (question) throws(CallFailure) in
                try unsafe reply.withUnsafeMutableBytes { (target) throws(CallFailure) in
                    try callRaw(
                        unsafe RawCall(
                            method: method, payload: question, reply: target, limit: limit, patience: patience,
                            workspace: workspace), until: &deadline)
                }
            }
            hearFirst(until: deadline ?? RawCall.deadline(after: patience))
            return count
        } catch {
            hearFirst(before: error, until: deadline ?? RawCall.deadline(after: patience))
            throw error
        }
    }

    /// - Parameter deadline: when the call's time is over; nil where its answer came before the clock was asked.
    @inline(__always) func callRaw(_ call: RawCall, until deadline: inout UInt64?) throws(CallFailure) -> Int {
        if tap == nil {
            if unsafe isLarge(call.payload.count) {
                deadline = call.deadline()
                return try callLarge(call, until: deadline)
            }
            if let count = try callLeading(call, until: &deadline) { return count }
        }
        deadline = call.deadline()
        return try callGenerally(call)
    }

    /// Sends a one-way message, which the extension's `serve` or `nextPost` takes; waits while there is no room.
    /// - Parameters:
    ///   - payload: copied; at most `largestPayload`.
    ///   - flush: false only writes it: the extension sees it with the next message that is not held back, or `flush()`.
    ///   - timeout: how long to wait for room at most; nil: the channel's own limit.
    public func post(
        _ method: UInt16, _ payload: RawSpan, flush: Bool = true, timeout: Duration? = nil
    ) throws(CallFailure) {
        try check(bytes: payload.byteCount, descriptors: 0)
        let isSent: Bool
        do throws(CallFailure) {
            isSent = try unsafe payload.withUnsafeBytes { (bytes) throws(CallFailure) in
                guard !isLarge(bytes.count) else { return false }
                return try unsafe post(FrameHeader(kind: .event, method: method), bytes, flush)
            }
        } catch {
            throw report(error)
        }
        if !isSent { try sendAndWait(ChannelEvent(method: method, payload: payload.copied), timeout: timeout) }
    }

    private func post(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, _ flush: Bool
    ) throws(CallFailure) -> Bool {
        guard tap == nil else { return false }
        return try sending.withLock { (sender) throws(CallFailure) in
            defer { if flush { self.flush(&sender) } }
            return try unsafe write(header, nil, payload, &sender, holds: !flush)
        }
    }

    /// Publishes the messages that were held back, and wakes an extension that sleeps.
    public func flush() {
        sending.withLock { flush(&$0) }
    }

    /// Nil where another thread reads or there is no room: then nothing has been sent.
    private func callLeading(_ call: RawCall, until deadline: inout UInt64?) throws(CallFailure) -> Int? {
        var large: (call: ChannelCall, memory: CallerMemory?)?
        let count = try callLeading(call, until: &deadline, orAsLarge: &large)
        if let large { return try awaitLarge(large.call, large.memory, call) }
        return count
    }

    /// - Parameter large: what it has become where its answer comes in pieces.
    @inline(__always) private func callLeading(
        _ call: RawCall, until deadline: inout UInt64?,
        orAsLarge large: inout (call: ChannelCall, memory: CallerMemory?)?
    ) throws(CallFailure) -> Int? {
        var leads = false
        defer { if leads { afterLeading() } }
        let count: Int?? = try halves.withBothIfAvailable { receiver, sender in
            leads = true
            let id = receiver.rawCalls.open()
            let known = receiver.rawCalls.answered
            return (id: id, word: writeAtOnce(call, id, [.bare, .attended], &sender, known: known))
        } then: { (opened, receiver) throws(CallFailure) in
            defer { leave(&receiver) }
            if let word = opened.word {
                tell(word)
            } else if try !send(call, opened.id) {
                return nil
            }
            let count = try awaitAnswer(to: call, opened.id, until: &deadline, &receiver)
            if count == HostEndpoint.comesInPieces {
                deadline = deadline ?? call.deadline()
                large = try enlistLarge(call, opened.id, deadline, &receiver)
            }
            return count
        }
        return count ?? nil
    }

    /// Writes and publishes a small call without a limit of time, as most are, where that is all there is to do.
    /// - Parameter known: the call whose answer was taken last: the extension has taken everything up to it.
    /// - Returns: the word that the extension sleeps on, if it does; nil where there is more, and nothing was done.
    @inline(__always) func writeAtOnce(
        _ call: RawCall, _ id: UInt64, _ marks: FrameMarks, _ sender: inout HostSender, known: UInt64 = 0
    ) -> WritableWord? {
        guard call.limit == nil, sender.cancels.isEmpty, !isClosed.load(ordering: .acquiring) else { return nil }
        let header = FrameHeader(kind: .request, marks: marks, method: call.method)
        let word = unsafe sender.writer.publishAtOnce(
            header.plainWord, call: id, payload: call.payload,
            stays: sender.framesMayStay && marks.contains(.attended), known: known)
        if word != nil { unsafe countSent(call.payload.count) }
        return word
    }

    /// Wakes an extension that sleeps, once the sending half was let go of.
    @inline(__always) func tell(_ word: WritableWord) {
        if sleeper.wakeIfAsleepAfterAtomic(on: word) { sending.withLock { _ in tally.wakeUpsForFrames.add() } }
    }

    @inline(__always) private func countSent(_ bytes: Int) {
        tally.framesSent.add()
        tally.bytesSent.add(UInt64(truncatingIfNeeded: bytes))
    }

    /// - Returns: false where there is no room.
    func send(_ call: RawCall, _ id: UInt64, isAttended: Bool = true) throws(CallFailure) -> Bool {
        let terms = call.limit.map { RequestTerms(limit: $0) }
        let header = FrameHeader(
            kind: .request, marks: (terms == nil ? .bare : FrameMarks()).union(isAttended ? .attended : []),
            method: call.method, call: id)
        do throws(CallFailure) {
            return try sending.withLock { (sender) throws(CallFailure) in
                defer { flush(&sender) }
                return try unsafe write(header, terms, call.payload, &sender)
            }
        } catch {
            throw report(error)
        }
    }

    /// Writes a frame without waking anybody.
    /// - Returns: false where there is no room.
    @inline(__always) private func write(
        _ header: FrameHeader, _ terms: RequestTerms?, _ payload: UnsafeRawBufferPointer, _ sender: inout HostSender,
        holds: Bool = false
    ) throws(CallFailure) -> Bool {
        guard !isClosed.load(ordering: .acquiring) else { throw closedReason }
        let length = UInt32(truncatingIfNeeded: payload.count) &+ (terms == nil ? 0 : RequestTerms.size)
        do throws(ChannelViolation) {
            guard sender.cancels.isEmpty, try sender.writer.hasRoom(payload: length) else { return false }
        } catch {
            throw .violated(error)
        }
        unsafe sender.writer.write(header, terms: terms, payload: payload, holds: holds)
        countSent(payload.count)
        return true
    }

    /// As any call, whose outcome is copied where the raw caller wants it.
    private func callGenerally(_ call: RawCall) throws(CallFailure) -> Int {
        let payload = unsafe [UInt8](call.payload)
        let most = call.workspace == nil ? call.room : MessageLimits.standard.bytes
        let reply = try callAndWait(
            Request(method: call.method, payload: payload, mostReply: most),
            timeout: call.patience.map { .nanoseconds(Int64(clamping: $0)) }
        ).payload
        if let workspace = call.workspace, reply.count > call.room { return workspace.keep(reply) }
        guard reply.count <= call.room else { throw .payloadTooLarge(bytes: reply.count, most: call.room) }
        unsafe call.reply.copyBytes(from: reply)
        return reply.count
    }
}

extension RawSpan {
    /// The bytes in memory of their own.
    fileprivate var copied: [UInt8] {
        unsafe withUnsafeBytes { unsafe [UInt8]($0) }
    }
}
