internal import AnnexLinux
internal import Synchronization

/// What is known of one channel at its host's end: what is open in it, and whether it still goes on.
///
/// The lowest of an endpoint's four parts: it knows none of the others. What they have to let go of when the channel
/// closes, they leave here as closures.
final class ChannelState: Sendable {
    let configuration: ChannelConfiguration
    let handlers: ChannelHandlers
    let loop: EventLoop
    /// What one request may hand over.
    let mostDescriptors: Int
    /// Nil unless the traffic is recorded: then every call goes through the table.
    let tap: (any FrameTap)?
    let tally: CounterWriter

    let calls = Mutex(CallTable())
    let hosted = Mutex(HostedCalls())
    let streams = Mutex(HostStreams())
    /// Calls in the table whose tasks had said that they look by themselves, and have suspended.
    let attendedCalls = Atomic<Int>(0)
    private let hello = Mutex(HelloState.awaited([]))
    /// The extension takes messages in pieces.
    private let sendsPieces = Atomic<Bool>(false)

    /// The leader lets go without an outcome: a thread ends the channel and reads what is left.
    let isEnding = Atomic<Bool>(false)
    let isClosed = Atomic<Bool>(false)
    /// The owner has heard of a violation.
    let isCondemned = Atomic<Bool>(false)
    /// What ends with the channel.
    private let closing = Mutex<(@Sendable () -> Void)?>(nil)
    private let parts = Mutex<Parts?>(nil)

    /// Whatever of the extension's waits for the event loop's thread to be heard.
    let unheard = Atomic<Int>(0)
    /// Events among it, and their bytes.
    private let undelivered = Atomic<UInt32>(0)
    private let undeliveredBytes = Atomic<UInt64>(0)
    /// How many waits in streams the owner was told of.
    let streamWaits = Atomic<UInt64>(0)

    /// What the other parts do when the channel closes.
    struct Parts {
        /// Before the open calls resolve: nothing more of the extension's is taken.
        let letGo: @Sendable () -> Void
        /// After that: the threads that sleep in the channel look around.
        let wake: @Sendable () -> Void
    }

    /// Whether the extension has said hello yet, and which tasks wait for it.
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

    /// The largest payload of one frame: half the ring, less a request's terms.
    var largestFrame: Int {
        Int(truncatingIfNeeded: WireFormat.largestPayload(capacity: configuration.hostCapacity) &- RequestTerms.size)
    }

    /// The most bytes of an answer in one frame.
    var largestReplyFrame: Int {
        Int(truncatingIfNeeded: WireFormat.largestPayload(capacity: configuration.extensionCapacity))
    }

    /// Whether a payload goes in pieces.
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

    /// Whether the extension has said hello and cannot do this.
    func isMissing(_ feature: WireFeatures) -> Bool {
        if case .said(let said) = hello.withLock({ $0 }) { !said.wire.contains(feature) } else { false }
    }

    /// The extension's hello, which is its first.
    /// - Parameter hasArena: whether this side can send in pieces.
    func accept(_ said: Hello, hasArena: Bool) {
        if said.wire.contains(.pieces), hasArena {
            // SYNC: whoever sees it sends in pieces, which only this side's own memory takes part in.
            sendsPieces.store(true, ordering: .releasing)
        }
        let waiting = hello.withLock { state in
            guard case .awaited(let waiting) = state else { return [] as [HelloWaiter] }
            state = .said(said)
            return waiting
        }
        tell { [handlers] in handlers.onHello(said) }
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

    /// The peer broke a rule: nothing more of it is read, and its owner hears of it once.
    func close(for violation: ChannelViolation) {
        guard close(.violated(violation)) else { return }
        loop.execute { [self] in
            isCondemned.store(true, ordering: .relaxed)
            handlers.onViolation(violation)
        }
    }

    /// The same for what the body finds.
    func closeIfBroken(_ body: () throws(ChannelViolation) -> Void) {
        do throws(ChannelViolation) {
            try body()
        } catch {
            close(for: error)
        }
    }

    /// A violation that was met outside of reading closes the channel. Under no lock of it.
    func report(_ failure: CallFailure) -> CallFailure {
        if case .violated(let violation) = failure { close(for: violation) }
        return failure
    }

    /// - Returns: whether this call closed it.
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

    /// Hands an event on. Those that wait for a slow owner are bounded as those of a second are, in number and in bytes.
    func deliver(_ event: ChannelEvent) throws(ChannelViolation) {
        let limit = configuration.framesPerSecond
        guard undelivered.load(ordering: .relaxed) < limit else { throw .messageBudget(.frames, limit: limit) }
        let (bytes, most) = (UInt64(truncatingIfNeeded: event.payload.count), configuration.bytesPerSecond)
        guard undeliveredBytes.load(ordering: .relaxed) &+ bytes <= UInt64(truncatingIfNeeded: most) else {
            throw .messageBudget(.bytes, limit: most)
        }
        undelivered.add(1, ordering: .relaxed)
        undeliveredBytes.add(bytes, ordering: .relaxed)
        tell { [self] in
            undelivered.subtract(1, ordering: .relaxed)
            undeliveredBytes.subtract(bytes, ordering: .relaxed)
            handlers.onEvent(event)
        }
    }
}
