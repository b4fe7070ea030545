internal import AnnexLinux
internal import Synchronization

// Calls that the extension makes of its host. They cost it its budget of frames, are bounded in number, and are
// answered without ever waiting for it.

extension HostEndpoint {
    func handleRequest(_ frame: Frame, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        try spend(frame, &receiver)
        guard frame.descriptors == 0 else {
            throw .malformed(kind: frame.kind.rawValue, length: frame.payload.count)
        }
        let most = configuration.mostHostedCalls
        let (isNext, isBusy) = hosted.withLock { table in
            guard table.accept(frame.call) else { return (false, false) }
            guard handlers.onRequest != nil, table.count < most else { return (true, true) }
            table.insert(frame.call)
            return (true, false)
        }
        guard isNext else { throw .unknownCall(frame.call) }
        guard !isBusy, let handle = handlers.onRequest else { return refuse(frame, most) }
        tell { [weak self] in
            if let self { handle(HostedRequest(frame, endpoint: self)) }
        }
    }

    /// The extension does not wait any more. The call counts until its answer, which nobody gets then.
    func handleCancel(_ frame: Frame, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        try spend(frame, &receiver)
        guard frame.descriptors == 0, frame.payload.isEmpty else {
            throw .malformed(kind: frame.kind.rawValue, length: frame.payload.count)
        }
        guard hosted.withLock({ $0.cancel(frame.call) }) else { throw .unknownCall(frame.call) }
    }

    /// Sends an answer, unless the call has one or is for nobody.
    func answerHosted(_ call: UInt64, _ header: FrameHeader, _ payload: [UInt8]) {
        guard hosted.withLock({ $0.takeOut(call) }) else { return }
        sendSoon(OutgoingFrame(header: header, payload: payload))
    }

    func failHosted(_ call: UInt64, _ method: UInt16, code: UInt32, text: String) {
        answerHosted(
            call, FrameHeader(kind: .failure, method: method, call: call), StreamFrame.reset(code: code, text))
    }

    private func refuse(_ frame: Frame, _ most: Int) {
        let isServed = handlers.onRequest != nil
        sendSoon(
            OutgoingFrame(
                header: FrameHeader(kind: .failure, method: frame.method, call: frame.call),
                payload: StreamFrame.reset(
                    code: isServed ? HandlerFailure.busyCode : HandlerFailure.unknownMethodCode,
                    isServed ? "more than \(most) calls open" : "nobody serves calls here")))
    }
}

extension HostEndpoint {
    /// Counts a frame that nobody asked for, and its bytes. What is left of the second's budget still goes; the owner is
    /// told once when a quarter is left.
    func spend(_ frame: Frame, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        let now = MonotonicClock.now()
        guard receiver.frames.spend(at: now) else { throw .messageBudget(.frames, limit: receiver.frames.limit) }
        try spend(bytes: frame.payload.count, at: now, &receiver)
        if receiver.frames.mustWarn() { warn(.frames) }
    }

    /// Counts the bytes of a frame that had to be expected and is for nobody; an empty one takes time too.
    func spendBytes(_ frame: Frame, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        try spend(bytes: max(frame.payload.count, 64), at: MonotonicClock.now(), &receiver)
    }

    func spend(
        bytes: Int, at now: UInt64, _ receiver: inout HostReceiver
    ) throws(ChannelViolation) {
        guard receiver.bytes.spend(UInt32(clamping: bytes), at: now) else {
            throw .messageBudget(.bytes, limit: receiver.bytes.limit)
        }
        if receiver.bytes.mustWarn() { warn(.bytes) }
    }

    private func warn(_ budget: ChannelViolation.MessageBudget) {
        tell { [handlers] in handlers.onPressure(budget) }
    }
}
