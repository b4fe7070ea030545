internal import AnnexLinux
internal import Synchronization

extension HostEndpoint {
    /// Opens a stream to the extension. Whether the extension takes it shows at the first message: one that does not
    /// lets go of it with `StreamFailure.refusedCode`.
    /// - Parameters:
    ///   - method: which stream; the users' own numbering.
    ///   - arguments: for whoever takes it.
    ///   - window: how many bytes the extension may have sent and this side not yet taken, 16 more for each message.
    public func openStream(
        _ method: UInt16, _ arguments: [UInt8] = [], window: Int = 65536, timeout: Duration? = nil
    ) throws(StreamFailure) -> ChannelStream {
        if case .said(let said) = hello.withLock({ $0 }), !said.wire.contains(.streams) { throw .unsupported }
        let window = min(max(UInt32(clamping: window), StreamState.smallestWindow), StreamState.largestWindow)
        let stream = try enterStream(method, window: window)
        let frame = OutgoingFrame(
            header: FrameHeader(kind: .open, method: method, call: stream.id),
            payload: StreamFrame.opening(window: window, arguments))
        do throws(CallFailure) {
            try check(bytes: frame.payload.count, descriptors: 0)
            try send(frame, until: timeout.map { MonotonicClock.deadline(after: $0) })
        } catch {
            // Nothing was sent, so there is nobody to tell.
            _ = stream.fail(with: .channel(error))
            forget(stream.id, isForgone: nil)
            throw .channel(error)
        }
        return stream
    }

    private func enterStream(_ method: UInt16, window: UInt32) throws(StreamFailure) -> ChannelStream {
        let result: Result<ChannelStream, StreamFailure> = streams.withLock { table in
            if let closed = table.closed { return .failure(.channel(closed)) }
            guard table.count < configuration.mostStreams else {
                return .failure(.tooManyStreams(most: configuration.mostStreams))
            }
            let stream = ChannelStream(
                id: table.nextOwn(), method: method, arguments: [],
                state: StreamState(window: window, peerWindow: 0), endpoint: self)
            table.insert(stream)
            return .success(stream)
        }
        return try result.get()
    }

    /// Takes a stream out of the table.
    /// - Parameter owed: where this side let go of it, what the other may still have sent.
    func forget(_ id: UInt64, isForgone owed: UInt32?) {
        streams.withLock { $0.takeOut(id, forgoing: owed) }
    }

    /// A frame that belongs to a stream.
    func handleStream(_ frame: Frame, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        guard frame.descriptors == 0 else {
            throw .malformed(kind: frame.kind.rawValue, length: frame.payload.count)
        }
        if frame.kind == .open { return try handleOpening(frame, &receiver) }
        switch streams.withLock({ $0.find(frame.call) }) {
        case .neverOpened: throw .unknownStream(frame.call)
        case .late:
            guard streams.withLock({ $0.expectsLateFrame() }) else { return try spend(frame, &receiver) }
            try spendBytes(frame, &receiver)
        case .open(let stream): try hand(frame, to: stream)
        }
    }

    private func hand(_ frame: Frame, to stream: ChannelStream) throws(ChannelViolation) {
        switch frame.kind {
        case .data:
            try stream.change { (inner) throws(ChannelViolation) in
                try inner.state.receive(StreamState.cost(frame.payload.count), stream: stream.id)
                // Nobody takes it any more: its credit is spent all the same.
                if inner.failure == nil { inner.queue.append(frame.payload) }
            }
        case .credit:
            guard frame.payload.count == 4, let credit = WireBytes.number(frame.payload, at: 0, as: UInt32.self) else {
                throw .malformed(kind: frame.kind.rawValue, length: frame.payload.count)
            }
            try stream.change { (inner) throws(ChannelViolation) in
                try inner.state.receiveCredit(credit, stream: stream.id)
            }
        case .finish:
            guard frame.payload.isEmpty else {
                throw .malformed(kind: frame.kind.rawValue, length: frame.payload.count)
            }
            try stream.change { (inner) throws(ChannelViolation) in try inner.state.receiveFinish(stream: stream.id) }
            stream.retireIfOver()
        default:
            guard let failure = StreamFrame.reset(frame.payload) else {
                throw .malformed(kind: frame.kind.rawValue, length: frame.payload.count)
            }
            forget(stream.id, isForgone: nil)
            _ = stream.fail(with: failure)
        }
    }

    private func handleOpening(_ frame: Frame, _ receiver: inout HostReceiver) throws(ChannelViolation) {
        try spend(frame, &receiver)
        guard let (window, arguments) = StreamFrame.opening(frame.payload) else {
            throw .malformed(kind: frame.kind.rawValue, length: frame.payload.count)
        }
        let own = configuration.streamWindow
        let (isOrdered, stream) = streams.withLock { table -> (Bool, ChannelStream?) in
            guard table.acceptPeer(frame.call) else { return (false, nil) }
            guard handlers.onStream != nil, table.closed == nil, table.count < configuration.mostStreams else {
                return (true, nil)
            }
            let stream = ChannelStream(
                id: frame.call, method: frame.method, arguments: arguments,
                state: StreamState(window: own, peerWindow: window), endpoint: self)
            table.insert(stream)
            return (true, stream)
        }
        guard isOrdered else { throw .unknownStream(frame.call) }
        guard let stream, let take = handlers.onStream else {
            let text = handlers.onStream == nil ? "nobody takes streams here" : "too many streams"
            return sendSoon(ChannelStream.reset(frame.call, code: StreamFailure.refusedCode, text: text))
        }
        sendSoon(
            OutgoingFrame(header: FrameHeader(kind: .credit, call: frame.call), payload: WireBytes.bytes(own)))
        tell { take(stream) }
    }

    /// The channel is closed: so are its streams.
    func closeStreams(_ failure: CallFailure) {
        for stream in streams.withLock({ $0.close(failure) }) { _ = stream.fail(with: .channel(failure)) }
    }
}
