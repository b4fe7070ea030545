internal import AnnexLinux
internal import Synchronization

extension HostEndpoint {
    /// Calls the extension and waits for its answer on this thread. What the extension sent before its answer has been
    /// heard by then, so the caller must hold nothing that a handler waits for.
    /// - Parameter timeout: how long to wait at most, for room in the ring too; nil: as long as the channel lives.
    /// - Throws: `CallFailure.onEventLoop` on the event loop's thread.
    public func callAndWait(_ request: consuming Request, timeout: Duration? = nil) throws(CallFailure) -> Reply {
        let opened = try open(request, kind: .request, timeout: timeout)
        return try finish(opened)
    }

    /// Calls the extension. Cancelling the task cancels the call.
    public nonisolated(nonsending) func call(
        _ request: consuming Request, timeout: Duration? = nil
    ) async throws(CallFailure) -> Reply {
        if request.isBare {
            let looked = try await look(for: request, timeout)
            if let reply = looked.response { return reply }
            if let pending = looked.pending {
                setTimer(for: pending)
                return try await pending.value()
            }
        }
        return try await start(request, timeout: timeout).value()
    }

    /// Sends a request from a task, and looks for the answer for as long as that is cheaper than suspending.
    public nonisolated(nonsending) func start(
        _ request: consuming Request, timeout: Duration? = nil
    ) async throws(CallFailure) -> ChannelCall {
        let opened = try open(request, kind: .request, timeout: timeout)
        let call = opened.call
        if sendAndLook(opened) {
            setTimer(for: call)
            return call
        }
        do throws(CallFailure) {
            try await sendLater(opened.frame, until: call.deadline)
        } catch {
            giveUp(call, with: error, tell: false)
            throw error
        }
        setTimer(for: call)
        return call
    }

    /// Sends a request from a thread, which waits while the ring has no room. The call ends by itself when its time is
    /// over, whether anybody waits or not.
    public func startAndWait(_ request: consuming Request, timeout: Duration? = nil) throws(CallFailure) -> ChannelCall
    {
        let opened = try open(request, kind: .request, timeout: timeout)
        let call = opened.call
        do throws(CallFailure) {
            try send(opened.frame, until: call.deadline)
        } catch {
            giveUp(call, with: error, tell: false)
            throw error
        }
        setTimer(for: call)
        return call
    }

    /// Asks whether the extension's channel is attended to, and waits on this thread. Answered as soon as the extension
    /// next looks. Not for the event loop's thread.
    public func pingAndWait(timeout: Duration) throws(CallFailure) {
        let opened = try open(Request(method: 0), kind: .ping, timeout: timeout)
        _ = try finish(opened)
    }

    /// The same without waiting for anything. What becomes of it is told once, on the event loop's thread unless it is
    /// known at once: by the pong, or by the end of the channel.
    /// - Returns: false where it could not be sent; then nothing is told.
    package func ping(answered: @escaping @Sendable (_ isAnswered: Bool) -> Void) -> Bool {
        do throws(CallFailure) {
            let opened = try open(Request(method: 0), kind: .ping, timeout: nil)
            let call = opened.call
            do throws(CallFailure) {
                try send(opened.frame, until: MonotonicClock.now())
            } catch {
                giveUp(call, with: error, tell: false)
                throw error
            }
            call.whenDone { outcome in answered((try? outcome.get()) != nil) }
            return true
        } catch {
            return false
        }
    }

    /// Sends a one-way message; waits on this thread while the ring has no room.
    /// - Parameter timeout: how long to wait at most; nil: the channel's `sendLimit`.
    public func sendAndWait(_ event: ChannelEvent, timeout: Duration? = nil) throws(CallFailure) {
        try send(frame(of: event), until: timeout.map { MonotonicClock.deadline(after: $0) })
    }

    /// Sends a one-way message; suspends while the ring has no room. Cancelling the task gives up waiting.
    /// - Parameter timeout: how long to wait at most; nil: the channel's `sendLimit`.
    public nonisolated(nonsending) func send(
        _ event: ChannelEvent, timeout: Duration? = nil
    ) async throws(CallFailure) {
        try await sendLater(frame(of: event), until: timeout.map { MonotonicClock.deadline(after: $0) })
    }

    private func frame(of event: ChannelEvent) throws(CallFailure) -> OutgoingFrame {
        try check(bytes: event.payload.count, descriptors: 0)
        return OutgoingFrame(
            header: FrameHeader(kind: .event, method: event.method), payload: event.payload,
            transfer: isLarge(event.payload.count) ? LargeTransfer() : nil)
    }

    /// Ends a call's waiting by itself at its deadline.
    func setTimer(for call: ChannelCall) {
        guard let deadline = call.deadline, !call.isDone else { return }
        call.keep(loop.schedule(at: deadline) { [weak self] in self?.giveUp(call, with: .deadlineExceeded) })
    }

    /// Resolves a call from this side, unless it already is.
    /// - Parameter tell: whether the extension has heard of the call and is to hear of its end.
    func giveUp(_ call: ChannelCall, with failure: CallFailure, tell: Bool = true) {
        guard takeOut(call.id, isForgone: tell) else { return }
        dropHandOver(of: call)
        call.resolve(.failure(failure))
        if tell { sendCancel(call.id) }
        interruptLeader()
    }

    /// Takes a call out of the table; whoever gets true resolves it.
    /// - Parameter isForgone: whether an answer may still come, which nobody waits for.
    func takeOut(_ id: UInt64, isForgone: Bool = false) -> Bool {
        calls.withLock { table in
            let (wasThere, nobodyAccepts) = table.takeOut(id)
            if wasThere, isForgone { table.forgo() }
            if nobodyAccepts { _ = control.setPassRights(false) }
            return wasThere
        }
    }

    private func open(
        _ request: consuming Request, kind: FrameKind, timeout: Duration?
    ) throws(CallFailure) -> OpenedCall {
        try check(bytes: request.payload.count, descriptors: request.descriptors.count)
        let limit = timeout.map { MonotonicClock.nanoseconds($0) }
        let method = request.method
        let accepts = request.accepts
        let call = try enter(
            method: method, isPing: kind == .ping, accepts: accepts,
            deadline: timeout.map { MonotonicClock.deadline(after: $0) }, mostReply: request.mostReply ?? 0)
        let header = FrameHeader(
            kind: kind, descriptors: UInt8(request.descriptors.count), method: method, call: call.id)
        let isLarge = isLarge(request.payload.count)
        let terms = RequestTerms(
            limit: limit ?? .max, mostBytes: accepts.bytes, mostPieces: UInt64(max(accepts.pieces, 0)))
        return OpenedCall(
            call: call,
            frame: OutgoingFrame(
                header: header, terms: kind == .request ? terms : nil, payload: request.payload,
                descriptors: request.descriptors, transfer: isLarge ? LargeTransfer() : nil))
    }

    func enter(
        method: UInt16, isPing: Bool, accepts: DescriptorAllowance, deadline: UInt64?, mostReply: Int = 0,
        memory: CallerMemory? = nil
    ) throws(CallFailure) -> ChannelCall {
        let result = calls.withLock { table in
            if let closed = table.closed { return .failure(closed) as Result<ChannelCall, CallFailure> }
            // A sign of life is asked for however many calls wait.
            guard isPing || table.count < configuration.mostOpenCalls else {
                return .failure(.tooManyCalls(most: configuration.mostOpenCalls))
            }
            let call = ChannelCall(
                id: table.nextID(), method: method, isPing: isPing, accepts: accepts, deadline: deadline,
                mostReply: mostReply, memory: memory, endpoint: self)
            // Inside the lock, so that the order of switching is the order of the table.
            if table.insert(call) { _ = control.setPassRights(true) }
            return .success(call)
        }
        return try result.get()
    }

    @inline(__always) func check(bytes: Int, descriptors: Int) throws(CallFailure) {
        guard bytes <= largestFrame || bytes <= largestPayload else {
            throw .payloadTooLarge(bytes: bytes, most: largestPayload)
        }
        guard descriptors <= mostDescriptors else {
            throw .tooManyDescriptors(count: descriptors, most: mostDescriptors)
        }
    }

    private func finish(_ opened: borrowing OpenedCall) throws(CallFailure) -> Reply {
        let call = opened.call
        guard !loop.isCurrent else {
            giveUp(call, with: .onEventLoop, tell: false)
            throw .onEventLoop
        }
        // What waits for room between its pieces leads nobody meanwhile.
        if opened.frame.transfer != nil || !sendAndLead(opened) {
            do throws(CallFailure) {
                try send(opened.frame, until: call.deadline)
            } catch {
                giveUp(call, with: error, tell: false)
            }
        }
        follow(call)
        return try call.heard()
    }
}

/// A call that has its number and its frame, which is not sent yet.
struct OpenedCall: ~Copyable {
    let call: ChannelCall
    let frame: OutgoingFrame
}
