internal import AnnexChannel
internal import AnnexModel
internal import Synchronization

/// A request of items that stays open while the user works, and the events that the extension gets meanwhile.
///
/// The answer to the request closes the dialogue. An event that is under way at that moment is cancelled, because its answer
/// is of no use any more. Releasing the last reference cancels the request.
///
/// The extension point's limit for a request, and its watchdog, hold for each event. They hold for the request itself only from
/// `answer()` on, because the user may take any time.
final class Dialogue: Sendable {
    let session: ExtensionSession
    /// The number of the request.
    private let number: UInt64
    private let events: DialogueEvents
    private let request: Task<Result<[ExtensionItem], HostError>, Never>

    /// Sends the request.
    /// - Parameter onClose: called once, when the request has its answer.
    init(
        _ session: ExtensionSession, request items: [ExtensionItem], accepting acceptance: Acceptance,
        onClose: @escaping @Sendable () -> Void = {}
    ) {
        self.session = session
        let events = DialogueEvents()
        self.events = events
        let number = session.nextRequest()
        self.number = number
        request = Task {
            defer {
                events.close()
                onClose()
            }
            return await Self.result { () async throws(HostError) in
                try await session.requestWithoutLimit(items, accepting: acceptance, number: number)
            }
        }
    }

    deinit { request.cancel() }

    /// Whether the extension has answered, failed or ended.
    var isAnswered: Bool { events.isClosed }

    /// Sends an event and waits for its answer.
    /// - Returns: nil if the extension has answered the request instead.
    /// - Throws: the failure of the request, if the extension has failed the request instead; else the event's failure.
    @discardableResult
    nonisolated(nonsending) func send<Event: ChannelRequest & Sendable>(
        _ event: Event
    ) async throws(HostError) -> Event.Response? where Event.Response: Sendable {
        let call = Task { [session] in
            await Self.result { () async throws(HostError) in try await session.callWatched(event) }
        }
        // An extension that has answered the request need not answer events any more.
        guard let number = events.add({ call.cancel() }) else {
            call.cancel()
            return nil
        }
        defer { events.remove(number) }
        let result = await withTaskCancellationHandler {
            await call.value
        } onCancel: {
            call.cancel()
        }
        do throws(HostError) {
            return try result.get()
        } catch {
            guard isAnswered else { throw error }
            // The outcome of the request says more than the failure of an event that came too late.
            try await outcome()
            return nil
        }
    }

    /// Waits until the request has its answer.
    /// - Throws: the error that the request ended with.
    nonisolated(nonsending) func outcome() async throws(HostError) { _ = try await request.value.get() }

    /// Waits for the answer, which the user does not delay any more, and ends the session. Cancelling the task cancels the request.
    nonisolated(nonsending) func answer() async throws(HostError) -> [ExtensionItem] {
        if events.beginWait() { session.startLimit(of: number) }
        let result = await withTaskCancellationHandler {
            await request.value
        } onCancel: {
            request.cancel()
        }
        _ = await session.complete()
        return try result.get()
    }

    /// How long an extension may take to notice that the user gave up.
    private static let cancelLimit = Duration.seconds(1)

    /// Ends the session.
    /// - Parameter event: informs the extension first; nil if it is not to be informed.
    nonisolated(nonsending) func cancel(informingBy event: (some ChannelRequest & Sendable)?) async -> Termination {
        if let event, !isAnswered {
            // An extension that fails here is ended all the same.
            _ = try? await session.call(event, timeout: Self.cancelLimit)
        }
        request.cancel()
        return await session.cancel()
    }

    private static func result<Value>(
        of work: () async throws(HostError) -> Value
    ) async -> Result<Value, HostError> {
        do throws(HostError) {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }
}

/// The events of a dialogue whose answers are awaited.
private final class DialogueEvents: Sendable {
    private struct Contents {
        var isClosed = false
        /// Whether the host waits for the answer alone.
        var isWaiting = false
        /// How to cancel each event.
        var cancels: [UInt64: @Sendable () -> Void] = [:]
        var last: UInt64 = 0
    }

    private let contents = Mutex(Contents())

    var isClosed: Bool { contents.withLock { $0.isClosed } }

    /// - Returns: whether the wait for the answer begins now. A request has one time limit.
    func beginWait() -> Bool {
        contents.withLock { contents in
            defer { contents.isWaiting = true }
            return !contents.isWaiting && !contents.isClosed
        }
    }

    /// - Parameter cancel: called if the request gets its answer before the event.
    /// - Returns: the number to remove the event by; nil if the request has its answer already.
    func add(_ cancel: @escaping @Sendable () -> Void) -> UInt64? {
        contents.withLock { contents in
            guard !contents.isClosed else { return nil }
            contents.last += 1
            contents.cancels[contents.last] = cancel
            return contents.last
        }
    }

    func remove(_ event: UInt64) { contents.withLock { _ = $0.cancels.removeValue(forKey: event) } }

    func close() {
        let cancels = contents.withLock { contents in
            contents.isClosed = true
            defer { contents.cancels = [:] }
            return contents.cancels
        }
        for cancel in cancels.values { cancel() }
    }
}
