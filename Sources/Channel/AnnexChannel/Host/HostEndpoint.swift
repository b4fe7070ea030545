package import AnnexLinux
internal import Synchronization

/// The host's end of a channel. Any number of threads and tasks may make calls through this object at once.
///
/// This type is the public interface to four parts. Each part uses only the parts listed after it: `RingLeader` reads,
/// `RingSender` writes, `ControlLine` passes descriptors and doorbells, and `ChannelState` tracks open calls and
/// streams. Whatever the extension does, this code does not trap, does not block without limit, and resolves no call
/// twice.
public final class HostEndpoint: Sendable {
    let leader: RingLeader
    let sender: RingSender
    let state: ChannelState
    /// Runs tasks on the thread that reads the channel; see `ChannelExecutor`.
    public let executor: ChannelExecutor
    /// The memory in which typed calls encode and decode.
    let workspace = WorkspaceSlot()

    init(
        configuration: ChannelConfiguration, handlers: ChannelHandlers, loop: EventLoop,
        control: consuming ControlSocket, own: consuming OwnRegion, peer: consuming PeerRegion,
        mostDescriptors: Int, tap: (any FrameTap)?
    ) {
        state = ChannelState(
            configuration: configuration, handlers: handlers, loop: loop, mostDescriptors: mostDescriptors, tap: tap)
        let control = ControlLine(control, state: state)
        sender = RingSender(state: state, control: control, own: own, peer: peer)
        leader = RingLeader(state: state, control: control, sender: sender)
        executor = ChannelExecutor(loop)
    }

    package var loop: EventLoop { state.loop }

    /// The largest payload of a request or event. Before the extension's hello, the value is `largestFrame`. It stays
    /// `largestFrame` if either side cannot handle messages in pieces.
    public var largestPayload: Int { state.largestPayload }

    /// The largest payload of one frame: half the ring minus the bytes of a request's terms. The terms state the time
    /// limit and the descriptors that the answer may bring. A stream's messages cannot be larger than this.
    public var largestFrame: Int { state.largestFrame }

    /// The channel's counts so far. They may be read at any time.
    public var counters: ChannelCounters { state.tally.now }

    /// Whether the caller runs on the event loop's thread, which reads this channel and runs its handlers.
    package var isOnLoop: Bool { state.loop.isCurrent }

    /// The number under which other processes read this channel's counters (`ChannelSnapshot.number`); 0 if other
    /// processes cannot read them.
    package var counterNumber: UInt64 { state.tally.number }

    /// Waits for the extension's hello. The time limit that the launcher sets for the launch also limits this wait.
    public nonisolated(nonsending) func untilHello() async throws(CallFailure) -> Hello {
        try await state.untilHello()
    }

    /// Runs a body after the handlers of all messages read so far: at once if they have run, otherwise on the event
    /// loop's thread.
    package func runAfterHandlers(_ body: @escaping @Sendable () -> Void) { state.runAfterHandlers(body) }

    /// Sets a body that runs once. The body runs just before a closing channel stops accepting messages, or when the
    /// channel's last reference is dropped.
    func onClose(_ body: @escaping @Sendable () -> Void) { state.onClose(body) }

    /// Ends the channel: reads what the extension has published, then resolves every open call with `.ended(reason:)`.
    /// A second call has no effect.
    /// - Parameter reason: a text for people, which is in the failure of each open call.
    public func end(with reason: String) { leader.end(with: reason) }

    /// Opens a stream to the extension. If the extension does not accept the stream, it resets the stream with
    /// `StreamFailure.rejectedCode`. The first receive or send on the stream then fails.
    /// - Parameters:
    ///   - method: the kind of stream, in the numbering of the host and its extensions.
    ///   - arguments: bytes for the extension's handler of the stream.
    ///   - window: how many bytes the extension may send before this side receives them. Each message counts 16 bytes
    ///     more than its length.
    ///   - timeout: the longest wait for room in the ring; nil for the channel's `sendLimit`.
    public func openStream(
        _ method: UInt16, arguments: [UInt8] = [], window: Int = 65536, timeout: Duration? = nil
    ) throws(StreamFailure) -> ChannelStream {
        let stream = try enterStream(method, window: window)
        let frame = stream.opening(arguments)
        do throws(CallFailure) {
            try state.check(bytes: frame.payload.count, descriptors: 0)
            try sender.send(frame, until: timeout.map { MonotonicClock.deadline(after: $0) })
        } catch {
            throw stream.abandon(for: error)
        }
        return stream
    }

    /// Like `openStream`, for a task: suspends while the ring has no room.
    nonisolated(nonsending) func openStreamLater(
        _ method: UInt16, arguments: [UInt8], window: Int, timeout: Duration?
    ) async throws(StreamFailure) -> ChannelStream {
        let stream = try enterStream(method, window: window)
        let frame = stream.opening(arguments)
        do throws(CallFailure) {
            try state.check(bytes: frame.payload.count, descriptors: 0)
            try await sender.sendLater(frame, until: timeout.map { MonotonicClock.deadline(after: $0) })
        } catch {
            throw stream.abandon(for: error)
        }
        return stream
    }

    private func enterStream(_ method: UInt16, window: Int) throws(StreamFailure) -> ChannelStream {
        if state.isMissing(.streams) { throw .unsupported }
        let window = min(max(UInt32(clamping: window), StreamState.smallestWindow), StreamState.largestWindow)
        let most = state.configuration.mostStreams
        let result: Result<ChannelStream, StreamFailure> = state.streams.withLock { table in
            if let closed = table.closed { return .failure(.channel(closed)) }
            guard table.count < most else { return .failure(.tooManyStreams(most: most)) }
            let stream = ChannelStream(
                id: table.nextOwn(), method: method, arguments: [],
                state: StreamState(window: window, peerWindow: 0), leader: leader)
            table.insert(stream)
            return .success(stream)
        }
        return try result.get()
    }
}

// One-way messages.
extension HostEndpoint {
    /// Sends a one-way message, which the extension receives in `serve` or `nextPost`. While the ring has no room, the
    /// method waits.
    /// - Parameters:
    ///   - method: the kind of message, in the numbering of the host and its extensions.
    ///   - payload: the bytes to send, at most `largestPayload`. They are copied.
    ///   - flush: false to write the message without publishing it. The extension then gets the message with the next
    ///     published message, or after `flush()`.
    ///   - timeout: the longest wait for room; nil: the channel's `sendLimit`.
    public func post(
        _ method: UInt16, payload: RawSpan, flush: Bool = true, timeout: Duration? = nil
    ) throws(CallFailure) {
        try state.check(bytes: payload.byteCount, descriptors: 0)
        let isSent = try unsafe payload.withUnsafeBytes { (bytes) throws(CallFailure) in
            guard !state.isLarge(bytes.count) else { return false }
            return try unsafe sender.post(method, payload: bytes, flush: flush)
        }
        if !isSent { try sendAndWait(ChannelEvent(method: method, payload: payload.copied), timeout: timeout) }
    }

    /// Publishes messages that were written with `flush: false`, and wakes the extension if it sleeps.
    public func flush() { sender.flush() }

    /// Sends a one-way message; blocks this thread while the ring has no room.
    /// - Parameters:
    ///   - event: the message to send.
    ///   - timeout: the longest wait; nil: the channel's `sendLimit`.
    public func sendAndWait(_ event: ChannelEvent, timeout: Duration? = nil) throws(CallFailure) {
        try sender.send(frame(of: event), until: timeout.map { MonotonicClock.deadline(after: $0) })
    }

    /// Sends a one-way message; suspends while the ring has no room. Cancelling the task ends the wait.
    /// - Parameters:
    ///   - event: the message to send.
    ///   - timeout: the longest wait; nil: the channel's `sendLimit`.
    public nonisolated(nonsending) func send(
        _ event: ChannelEvent, timeout: Duration? = nil
    ) async throws(CallFailure) {
        try await sender.sendLater(frame(of: event), until: timeout.map { MonotonicClock.deadline(after: $0) })
    }

    private func frame(of event: ChannelEvent) throws(CallFailure) -> OutgoingFrame {
        try state.check(bytes: event.payload.count, descriptors: 0)
        return OutgoingFrame(
            header: FrameHeader(kind: .event, method: event.method), payload: event.payload,
            transfer: state.isLarge(event.payload.count) ? LargeTransfer() : nil)
    }
}

extension RawSpan {
    /// A copy of the bytes.
    fileprivate var copied: [UInt8] {
        unsafe withUnsafeBytes { unsafe [UInt8]($0) }
    }
}
