internal import AnnexLinux

/// A weak reference to a stream. It is weak because the code that uses the stream may release the stream at any time.
struct HeldStream {
    weak var stream: ExtensionStream?
}

extension ExtensionCore {
    static let streamWindow: UInt32 = 65536

    /// Reads the published frames, or waits if there are none. Frames that belong to no stream are handled or kept for
    /// later.
    func readMore() throws(ExtensionFailure) {
        if try !readWhatIsThere() { _ = try wait(until: nil) }
    }

    /// - Returns: whether there was any frame.
    @discardableResult
    func readWhatIsThere() throws(ExtensionFailure) -> Bool {
        var hasRead = false
        while let frame = try read() {
            try putAside(frame)
            hasRead = true
        }
        return hasRead
    }

    func openStream(_ method: UInt16, arguments: [UInt8], window: UInt32) throws(ExtensionFailure) -> ExtensionStream {
        lastStream &+= 2
        let stream = ExtensionStream(
            id: lastStream, method: method, arguments: [], state: StreamState(window: window, peerWindow: 0), core: self
        )
        streams[lastStream] = HeldStream(stream: stream)
        do throws(ExtensionFailure) {
            try send(
                FrameHeader(kind: .open, method: method, call: lastStream),
                payload: StreamFrame.opening(window: window, arguments))
        } catch {
            // Nothing was sent, so the host needs no reset.
            stream.failure = .cancelled
            throw error
        }
        return stream
    }

    /// Handles a stream that the host opens: passes the stream to the handler, or resets the stream if there is no
    /// handler.
    func accept(_ frame: Frame) throws(ExtensionFailure) {
        guard let (window, arguments) = StreamFrame.opening(frame.payload) else {
            throw .violated(.malformed(kind: frame.kind.rawValue, length: frame.payload.count))
        }
        guard let handler = onStream else {
            return try send(
                FrameHeader(kind: .reset, call: frame.call),
                payload: StreamFrame.reset(code: StreamFailure.rejectedCode, "this side accepts no streams"))
        }
        let stream = ExtensionStream(
            id: frame.call, method: frame.method, arguments: arguments,
            state: StreamState(window: ExtensionCore.streamWindow, peerWindow: window), core: self)
        streams[frame.call] = HeldStream(stream: stream)
        try send(FrameHeader(kind: .credit, call: frame.call), payload: WireBytes.bytes(ExtensionCore.streamWindow))
        handler(stream)
    }

    /// Handles a frame of a stream. A frame of a stream that is over is dropped.
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
            default:
                stream.failure = stream.failure ?? StreamFrame.reset(frame.payload) ?? .cancelled
                working[.stream(frame.call)]?.cancel()
            }
            stream.noteChange()
        } catch {
            throw .violated(error)
        }
    }
}

extension ExtensionEndpoint {
    /// Opens a stream to the host. If the host does not accept the stream, it resets the stream with
    /// `StreamFailure.rejectedCode`.
    /// - Parameters:
    ///   - method: the kind of stream, in the numbering of the host and its extensions.
    ///   - arguments: bytes for the host's handler of the stream.
    ///   - window: how many bytes the host may send before this side takes them. Each message counts 16 bytes more than
    ///     its length.
    public borrowing func openStream(
        _ method: UInt16, arguments: [UInt8] = [], window: Int = 65536
    ) throws(ExtensionFailure) -> ExtensionStream {
        guard core.host.contains(.streams) else { throw .unsupported }
        let window = min(max(window, Int(StreamState.smallestWindow)), Int(StreamState.largestWindow))
        return try core.openStream(method, arguments: arguments, window: UInt32(window))
    }

    /// Sets the handler for streams that the host opens from now on. The handler runs while this thread waits on the
    /// channel. The stream stays open as long as the handler's code keeps a reference.
    public borrowing func handleStreams(with handler: @escaping (ExtensionStream) -> Void) {
        core.onStream = handler
    }
}
