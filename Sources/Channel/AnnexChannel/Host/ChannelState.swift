internal import AnnexLinux
internal import Synchronization

/// The state of one channel at its host's end: its open calls and streams, the hello, and whether it is closed.
///
/// This is the lowest of the four parts of a `HostEndpoint`, and it uses none of the other three parts. Those parts
/// install closures here that run when the channel closes.
final class ChannelState: Sendable {
    let configuration: ChannelConfiguration
    let handlers: ChannelHandlers
    let loop: EventLoop
    /// The most descriptors that one request may hand over.
    let mostDescriptors: Int
    /// Records the traffic; nil unless the channel is recorded. If there is a tap, every call goes through the table of
    /// calls.
    let tap: (any FrameTap)?
    let tally: CounterWriter

    let calls = Mutex(CallTable())
    let hosted = Mutex(HostedCalls())
    let expected = ExpectedCalls()
    let streams = Mutex(HostStreams())
    /// The number of open calls that were sent as attended and whose task is suspended. A call is sent as attended if
    /// its caller reads the ring itself, which a suspended task no longer does.
    let attendedCalls = Atomic<Int>(0)
    private let hello = Mutex(HelloState.awaited([]))
    /// Whether the extension accepts messages in pieces and this side can send them.
    private let sendsPieces = Atomic<Bool>(false)

    /// Set when a thread ends the channel. The leader then releases the receiving lock, even if its own call has no
    /// outcome yet. The thread that ends the channel reads the frames that are left.
    let isEnding = Atomic<Bool>(false)
    let isClosed = Atomic<Bool>(false)
    /// Whether the owner's violation handler is being called or has been called. After that handler, no other handler
    /// runs.
    let isCondemned = Atomic<Bool>(false)
    /// Runs once, when the channel closes.
    private let closing = Mutex<(@Sendable () -> Void)?>(nil)
    private let parts = Mutex<Parts?>(nil)

    /// How many handlers are queued or running on the event loop's thread.
    let pendingHandlers = Atomic<Int>(0)
    /// How many of the queued or running handlers are for events, and how many payload bytes these events have.
    private let undelivered = Atomic<UInt32>(0)
    private let undeliveredBytes = Atomic<UInt64>(0)
    /// How many tasks handle typed streams of the extension.
    private let streamTasks = Atomic<Int>(0)
    /// Waits in streams that are reported to the owner are numbered. This is the last number that was used.
    let streamWaits = Atomic<UInt64>(0)

    /// Closures of the other parts that run when the channel closes.
    struct Parts {
        /// Runs before the open calls resolve. From then on the host accepts nothing more from the extension.
        let letGo: @Sendable () -> Void
        /// Runs after the open calls resolve, and wakes the threads that sleep in the channel.
        let wake: @Sendable () -> Void
    }

    /// Whether the extension's hello has arrived, and the tasks that wait for it.
    private enum HelloState: Sendable {
        case awaited([HelloWaiter])
        case said(Hello)
        case failed(CallFailure)
    }

    private typealias HelloWaiter = CheckedContinuation<Result<Hello, CallFailure>, Never>

    init(
        configuration: ChannelConfiguration, handlers: ChannelHandlers, loop: EventLoop, mostDescriptors: Int,
        tap: (any FrameTap)?
    ) {
        self.configuration = configuration
        self.handlers = handlers
        self.loop = loop
        self.mostDescriptors = mostDescriptors
        self.tap = tap
        tally = CounterWriter(label: configuration.label)
    }

    // MARK: Sizes

    /// The largest payload of a request or event.
    var largestPayload: Int {
        // SYNC: pairs with the store in `accept`.
        guard sendsPieces.load(ordering: .acquiring) else { return largestFrame }
        return max(largestFrame, Int(configuration.largestMessage))
    }

    /// The largest payload of one frame: half the ring minus the size of `RequestTerms`.
    var largestFrame: Int {
        Int(truncatingIfNeeded: WireFormat.largestPayload(capacity: configuration.hostCapacity) &- RequestTerms.size)
    }

    /// The most bytes of an answer that fits into one frame.
    var largestReplyFrame: Int {
        Int(truncatingIfNeeded: WireFormat.largestPayload(capacity: configuration.extensionCapacity))
    }

    /// Whether a payload of this size is sent in pieces.
    func isLarge(_ bytes: Int) -> Bool { bytes > largestFrame }

    @inline(__always) func check(bytes: Int, descriptors: Int) throws(CallFailure) {
        guard bytes <= largestFrame || bytes <= largestPayload else {
            throw .payloadTooLarge(bytes: bytes, most: largestPayload)
        }
        guard descriptors <= mostDescriptors else {
            throw .tooManyDescriptors(count: descriptors, most: mostDescriptors)
        }
    }

    // MARK: The hello

    /// Whether the hello has arrived and lacks this feature.
    func isMissing(_ feature: WireFeatures) -> Bool {
        if case .said(let said) = hello.withLock({ $0 }) { !said.wire.contains(feature) } else { false }
    }

    /// Handles the extension's hello, which is its first frame.
    /// - Parameter hasArena: whether this side can send in pieces.
    func accept(_ said: Hello, hasArena: Bool) {
        if said.wire.contains(.pieces), hasArena {
            // SYNC: a thread that reads true may send in pieces. To do so, the thread needs only memory of this side,
            // which exists already.
            sendsPieces.store(true, ordering: .releasing)
        }
        let waiting = hello.withLock { state in
            guard case .awaited(let waiting) = state else { return [] as [HelloWaiter] }
            state = .said(said)
            return waiting
        }
        runHandler { [handlers] in handlers.onHello(said) }
        loop.perform {
            for continuation in waiting { continuation.resume(returning: .success(said)) }
        }
    }

    nonisolated(nonsending) func untilHello() async throws(CallFailure) -> Hello {
        try await withCheckedContinuation { continuation in
            let known: Result<Hello, CallFailure>? = hello.withLock { state in
                switch state {
                case .awaited(let waiting):
                    state = .awaited(waiting + [continuation])
                    return nil
                case .said(let said): return .success(said)
                case .failed(let failure): return .failure(failure)
                }
            }
            if let known { continuation.resume(returning: known) }
        }.get()
    }

    private func failHello(_ failure: CallFailure) {
        let waiting = hello.withLock { state in
            guard case .awaited(let waiting) = state else { return [] as [HelloWaiter] }
            state = .failed(failure)
            return waiting
        }
        loop.perform {
            for continuation in waiting { continuation.resume(returning: .failure(failure)) }
        }
    }

    // MARK: The end

    func install(_ parts: Parts) { self.parts.withLock { $0 = parts } }

    func onClose(_ body: @escaping @Sendable () -> Void) { closing.withLock { $0 = body } }

    func runOnClose() { closing.withLock { $0.take() }?() }

    /// Why the channel is closed.
    var closedReason: CallFailure {
        calls.withLock { $0.closed ?? .ended(reason: $0.ending ?? "closed") }
    }

    /// Closes the channel because the extension violated a rule. The host reads nothing more from the extension, and
    /// notifies the owner once.
    func close(for violation: ChannelViolation) {
        guard close(.violated(violation)) else { return }
        loop.execute { [self] in
            isCondemned.store(true, ordering: .relaxed)
            handlers.onViolation(violation)
        }
    }

    /// Runs a body, and closes the channel if the body throws a violation.
    func closeIfBroken(_ body: () throws(ChannelViolation) -> Void) {
        do throws(ChannelViolation) {
            try body()
        } catch {
            close(for: error)
        }
    }

    /// Closes the channel if the failure is a violation. Use this method for failures that did not arise while reading
    /// the ring. The caller must hold no lock of the channel.
    /// - Returns: the same failure.
    func report(_ failure: CallFailure) -> CallFailure {
        if case .violated(let violation) = failure { close(for: violation) }
        return failure
    }

    /// - Returns: whether this call closed the channel.
    @discardableResult
    func close(_ failure: CallFailure) -> Bool {
        let open: [ChannelCall]? = calls.withLock { table in
            guard table.closed == nil else { return nil }
            return table.close(failure)
        }
        guard let open else { return false }
        let parts = parts.withLock { $0 }
        tap?.end("\(failure)")
        runOnClose()
        isClosed.store(true, ordering: .sequentiallyConsistent)
        parts?.letGo()
        for call in open { call.resolve(.failure(failure)) }
        hosted.withLock { $0.close() }
        for stream in streams.withLock({ $0.close(failure) }) { _ = stream.fail(with: .channel(failure)) }
        failHello(failure)
        parts?.wake()
        return true
    }

    // MARK: Events

    /// Queues an event for its handler. If the handler is slow, many events may wait. The limits on frames and bytes
    /// per second also limit the events that wait.
    /// - Parameter mostWaiting: how many events may wait.
    func deliver(_ event: ChannelEvent, mostWaiting: UInt32) throws(ChannelViolation) {
        guard undelivered.load(ordering: .relaxed) < mostWaiting else {
            throw .messageBudget(.frames, limit: configuration.framesPerSecond)
        }
        let (bytes, most) = (UInt64(truncatingIfNeeded: event.payload.count), configuration.bytesPerSecond)
        guard undeliveredBytes.load(ordering: .relaxed) &+ bytes <= UInt64(truncatingIfNeeded: most) else {
            throw .messageBudget(.bytes, limit: most)
        }
        undelivered.add(1, ordering: .relaxed)
        undeliveredBytes.add(bytes, ordering: .relaxed)
        runHandler { [self] in
            undelivered.subtract(1, ordering: .relaxed)
            undeliveredBytes.subtract(bytes, ordering: .relaxed)
            handlers.onEvent(event)
        }
    }
}

// Tasks that handle streams of the extension.
extension ChannelState {
    /// Counts one more task. If `mostStreams` tasks run already, returns false and does not count the task.
    func beginStreamTask() -> Bool {
        // SYNC: relaxed: only the number matters.
        guard streamTasks.add(1, ordering: .relaxed).newValue <= configuration.mostStreams else {
            endStreamTask()
            return false
        }
        return true
    }

    func endStreamTask() { streamTasks.subtract(1, ordering: .relaxed) }
}
