internal import AnnexLinux

/// A stream that its holder may let go of at any time.
struct HeldStream {
    weak var stream: ExtensionStream?
}

extension ExtensionCore {
    static let streamWindow: UInt32 = 65536

    /// Reads what is there, or waits for something; whatever is no stream's is kept for later.
    func readMore() throws(ExtensionFailure) {
        if try !readWhatIsThere() { _ = try wait(until: nil) }
    }

    /// - Returns: whether there was anything.
    @discardableResult
    func readWhatIsThere() throws(ExtensionFailure) -> Bool {
        var hasRead = false
        while let frame = try read() {
            try putAside(frame)
            hasRead = true
        }
        return hasRead
    }

    func openStream(_ method: UInt16, _ arguments: [UInt8], window: UInt32) throws(ExtensionFailure) -> ExtensionStream
    {
        lastStream &+= 2
        let stream = ExtensionStream(
            id: lastStream, method: method, arguments: [], state: StreamState(window: window, peerWindow: 0), core: self
        )
        streams[lastStream] = HeldStream(stream: stream)
        do throws(ExtensionFailure) {
            try send(
                FrameHeader(kind: .open, method: method, call: lastStream),
                StreamFrame.opening(window: window, arguments))
        } catch {
            // Nothing was sent, so there is nobody to tell.
            stream.failure = .cancelled
            throw error
        }
        return stream
    }

    /// The host opens a stream.
    func accept(_ frame: Frame) throws(ExtensionFailure) {
        guard let (window, arguments) = StreamFrame.opening(frame.payload) else {
            throw .violated(.malformed(kind: frame.kind.rawValue, length: frame.payload.count))
        }
        guard let take = takeStream else {
            return try send(
                FrameHeader(kind: .reset, call: frame.call),
                StreamFrame.reset(code: StreamFailure.refusedCode, "nobody takes streams here"))
        }
        let stream = ExtensionStream(
            id: frame.call, method: frame.method, arguments: arguments,
            state: StreamState(window: ExtensionCore.streamWindow, peerWindow: window), core: self)
        streams[frame.call] = HeldStream(stream: stream)
        try send(FrameHeader(kind: .credit, call: frame.call), WireBytes.bytes(ExtensionCore.streamWindow))
        take(stream)
    }

    /// A frame of a stream that was opened, or of one that is over, which nobody waits for.
    func handleStream(_ frame: Frame) throws(ExtensionFailure) {
        guard let stream = streams[frame.call]?.stream else { return }
        do throws(ChannelViolation) {
            switch frame.kind {
            case .data:
                try stream.state.receive(StreamState.cost(frame.payload.count), stream: frame.call)
                if stream.failure == nil { stream.queue.append(frame.payload) }
            case .credit:
                try stream.state.receiveCredit(
                    WireBytes.number(frame.payload, at: 0, as: UInt32.self) ?? 0, stream: frame.call)
            case .finish: try stream.state.receiveFinish(stream: frame.call)
            default: stream.failure = stream.failure ?? StreamFrame.reset(frame.payload) ?? .cancelled
            }
        } catch {
            throw .violated(error)
        }
    }
}

extension ExtensionEndpoint {
    /// Opens a stream to the host. A host that takes none lets go of it with `StreamFailure.refusedCode`.
    /// - Parameter window: how many bytes the host may have sent and this side not yet taken, 16 more for each message.
    public borrowing func openStream(
        _ method: UInt16, _ arguments: [UInt8] = [], window: Int = 65536
    ) throws(ExtensionFailure) -> ExtensionStream {
        guard core.host.contains(.streams) else { throw .unsupported }
        let window = min(max(window, Int(StreamState.smallestWindow)), Int(StreamState.largestWindow))
        return try core.openStream(method, arguments, window: UInt32(window))
    }

    /// Takes streams that the host opens from now on. The handler runs while this thread waits for something, and keeps
    /// the stream for as long as it likes.
    public borrowing func takeStreams(with handler: @escaping (ExtensionStream) -> Void) {
        core.takeStream = handler
    }
}
