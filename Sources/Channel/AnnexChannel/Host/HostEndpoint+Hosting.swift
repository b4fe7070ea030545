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
