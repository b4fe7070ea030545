package import AnnexLinux
internal import Synchronization

/// The host's end of a channel: any number of threads and tasks may call through it at once.
///
/// This type is what users see. Behind it are four parts, each of which uses those after it only: `RingLeader` reads,
/// `RingSender` writes, `ControlLine` passes descriptors and doorbells, and `ChannelState` knows what is open. Nothing
/// that the extension does can trap here, block without bound, or make a call resolve twice.
public final class HostEndpoint: Sendable {
    let leader: RingLeader
    let sender: RingSender
    let state: ChannelState
    /// Runs tasks where the channel is read; see `ChannelExecutor`.
    public let executor: ChannelExecutor
    /// The memory of calls that encode and decode.
    let workspace = WorkspaceSlot()

    init(
        configuration: ChannelConfiguration, handlers: ChannelHandlers, loop: EventLoop,
        control: consuming ControlSocket, own: consuming OwnRegion, peer: consuming PeerRegion,
        mostDescriptors: Int, tap: (any FrameTap)?
    ) {
        state = ChannelState(
            configuration: configuration, handlers: handlers, loop: loop, mostDescriptors: mostDescriptors, tap: tap)
        let control = ControlLine(control, state)
        sender = RingSender(state, control, own: own, peer: peer)
        leader = RingLeader(state, control, sender)
        executor = ChannelExecutor(loop)
    }

    package var loop: EventLoop { state.loop }

    /// The largest payload of a request or event. Until the extension has said hello, and where it takes no messages in
    /// pieces, as much as a frame carries.
    public var largestPayload: Int { state.largestPayload }

    /// The largest payload of one frame: half the ring, less a request's terms. A stream's messages have no more.
    public var largestFrame: Int { state.largestFrame }

    /// What has happened so far; may be read at any time.
    public var counters: ChannelCounters { state.tally.now }

    /// Whether the caller runs on the event loop's thread, which reads this channel and runs its handlers.
    package var isOnLoop: Bool { state.loop.isCurrent }

    /// The number under which others read its counters (`ChannelSnapshot.number`); 0 where they cannot.
    package var counterNumber: UInt64 { state.tally.number }

    /// Waits for the extension's hello, which the launch limit of whoever started it bounds.
    public nonisolated(nonsending) func untilHello() async throws(CallFailure) -> Hello {
        try await state.untilHello()
    }

    /// Runs a body once the owner has heard all that was read: at once if it has, else on the event loop's thread.
    package func whenHeard(_ body: @escaping @Sendable () -> Void) { state.whenHeard(body) }

    /// Runs a body when the channel closes, just before it takes nothing more, or when nobody has it any more; at most
    /// one.
    func onClose(_ body: @escaping @Sendable () -> Void) { state.onClose(body) }

    /// Ends the channel: reads what the extension still published, then resolves every open call with
    /// `.ended(reason:)`. Once is enough, twice is harmless.
    /// - Parameter reason: for people; shown with each call that ends this way.
    public func end(with reason: String) { leader.end(with: reason) }

    /// Opens a stream to the extension. Whether the extension takes it shows at the first message: one that does not
    /// lets go of it with `StreamFailure.refusedCode`.
    /// - Parameters:
    ///   - method: which stream; the users' own numbering.
    ///   - arguments: for whoever takes it.
    ///   - window: how many bytes the extension may have sent and this side not yet taken, 16 more for each message.
    public func openStream(
        _ method: UInt16, _ arguments: [UInt8] = [], window: Int = 65536, timeout: Duration? = nil
    ) throws(StreamFailure) -> ChannelStream {
        if state.isMissing(.streams) { throw .unsupported }
        let window = min(max(UInt32(clamping: window), StreamState.smallestWindow), StreamState.largestWindow)
        let stream = try enterStream(method, window: window)
        let frame = OutgoingFrame(
            header: FrameHeader(kind: .open, method: method, call: stream.id),
            payload: StreamFrame.opening(window: window, arguments))
        do throws(CallFailure) {
            try state.check(bytes: frame.payload.count, descriptors: 0)
            try sender.send(frame, until: timeout.map { MonotonicClock.deadline(after: $0) })
        } catch {
            // Nothing was sent, so there is nobody to tell.
            _ = stream.fail(with: .channel(error))
            stream.forget(isForgone: nil)
            throw .channel(error)
        }
        return stream
    }

    private func enterStream(_ method: UInt16, window: UInt32) throws(StreamFailure) -> ChannelStream {
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
