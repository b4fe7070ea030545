internal import AnnexLinux
internal import Synchronization

// Calls and posts of bare bytes. A caller that finds nobody else reading leads: it needs no entry in the table of
// calls, no object and no memory. Whoever comes second goes the general way.

extension HostEndpoint {
    /// Calls the extension and waits for its answer on this thread, which must not be the event loop's. Allocates
    /// nothing while no other thread calls through the same channel.
    /// - Parameters:
    ///   - payload: copied; at most `largestPayload`.
    ///   - reply: where the answer is copied to, whose bytes are the extension's: nothing is known but their number.
    ///   - timeout: how long to wait at most; nil: as long as the channel lives.
    /// - Returns: the answer's length.
    /// - Throws: `.payloadTooLarge` also where the answer has more bytes than `reply`.
    public func call(
        _ method: UInt16, _ payload: RawSpan, into reply: inout MutableRawSpan, timeout: Duration? = nil
    ) throws(CallFailure) -> Int {
        try call(method, payload, into: &reply, timeout: timeout, patience: nil)
    }

    /// - Parameter patience: how long to wait at most without telling the extension so; nil: as `timeout` says.
    func call(
        _ method: UInt16, _ payload: RawSpan, into reply: inout MutableRawSpan, timeout: Duration?, patience: Duration?
    ) throws(CallFailure) -> Int {
        try check(bytes: payload.byteCount, descriptors: 0)
        let limit = timeout.map { MonotonicClock.nanoseconds($0) }
        let answer = unsafe payload.withUnsafeBytes { question in
            unsafe reply.withUnsafeMutableBytes { target in
                let call = unsafe RawCall(
                    method: method, payload: question, reply: target, limit: limit,
                    patience: limit ?? patience.map { MonotonicClock.nanoseconds($0) })
                return callLeading(call) ?? callGenerally(call, timeout: timeout ?? patience)
            }
        }
        return try answer.get()
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
        let sent = unsafe payload.withUnsafeBytes { bytes in
            sending.withLock { sender in
                let header = FrameHeader(kind: .event, method: method)
                let outcome = unsafe write(header, nil, bytes, &sender, holds: !flush)
                if flush { self.flush(&sender) }
                return outcome
            }
        }
        switch sent {
        case .sent: return
        case .failed(let failure): throw report(failure)
        case .full: try send(ChannelEvent(method: method, payload: payload.copied), timeout: timeout)
        }
    }

    /// Publishes the messages that were held back, and wakes an extension that sleeps.
    public func flush() {
        sending.withLock { flush(&$0) }
    }

    /// Nil where another thread reads or there is no room: then nothing has been sent.
    private func callLeading(_ call: RawCall) -> RawCall.Answer? {
        let answer = receiving.withLockIfAvailable { receiver in
            defer { leave(&receiver) }
            let id = receiver.rawCalls.open()
            switch send(call, id) {
            case .sent: return awaitAnswer(to: call, id, &receiver) as RawCall.Answer?
            case .full: return nil
            case .failed(let failure): return .failure(report(failure))
            }
        }
        guard let answer else { return nil }
        afterLeading()
        return answer
    }

    func send(_ call: RawCall, _ id: UInt64, isAttended: Bool = true) -> Attempt {
        let terms = call.limit.map { RequestTerms(limit: $0) }
        let header = FrameHeader(
            kind: .request, marks: (terms == nil ? .bare : FrameMarks()).union(isAttended ? .attended : []),
            method: call.method, call: id)
        return sending.withLock { sender in
            let outcome = unsafe write(header, terms, call.payload, &sender)
            flush(&sender)
            return outcome
        }
    }

    /// Writes a frame without waking anybody.
    private func write(
        _ header: FrameHeader, _ terms: RequestTerms?, _ payload: UnsafeRawBufferPointer, _ sender: inout HostSender,
        holds: Bool = false
    ) -> Attempt {
        guard !isClosed.load(ordering: .acquiring) else { return .failed(closedReason) }
        let length = UInt32(truncatingIfNeeded: payload.count) &+ (terms == nil ? 0 : RequestTerms.size)
        do throws(ChannelViolation) {
            guard sender.cancels.isEmpty, try sender.writer.hasRoom(payload: length) else {
                return .full(sender.writer.seen)
            }
        } catch {
            return .failed(.violated(error))
        }
        unsafe sender.writer.write(header, terms: terms, payload: payload, holds: holds)
        tally.framesSent.add()
        tally.bytesSent.add(UInt64(truncatingIfNeeded: payload.count))
        return .sent
    }

    /// As any call, whose outcome is copied where the raw caller wants it.
    private func callGenerally(_ call: RawCall, timeout: Duration?) -> RawCall.Answer {
        do throws(CallFailure) {
            let payload = unsafe [UInt8](call.payload)
            let reply = try self.call(Request(method: call.method, payload: payload), timeout: timeout).payload
            guard reply.count <= call.room else { throw .payloadTooLarge(bytes: reply.count, most: call.room) }
            unsafe call.reply.copyBytes(from: reply)
            return .success(reply.count)
        } catch {
            return .failure(error)
        }
    }
}

extension RawSpan {
    /// The bytes in memory of their own.
    fileprivate var copied: [UInt8] {
        unsafe withUnsafeBytes { unsafe [UInt8]($0) }
    }
}
